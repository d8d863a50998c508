// What an exported file holds beside the page: compressed parts, which are opened when they are shown.
const parts = new Map(), MOST = 24;

export function unpacked(id) {
  if (!parts.has(id)) {
    parts.set(id, unpack(id));
    if (parts.size > MOST) parts.delete(parts.keys().next().value);
  }
  return parts.get(id);
}

async function unpack(id) {
  const held = document.getElementById(id);
  if (!held) return null;
  const bytes = Uint8Array.from(atob(held.textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
