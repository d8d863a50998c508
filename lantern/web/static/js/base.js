// What every page has: building elements, asking the server, the bar at the top.
// Texts from games and models only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (selector) => document.querySelector(selector);

const ICONS = {
  first: "M3 2h2v12H3zM13 2v12L6 8z", last: "M11 2h2v12h-2zM3 2v12l7-6z", back: "M11 2v12L4 8z", next: "M5 2v12l7-6z",
  pause: "M4 2h3v12H4zM9 2h3v12H9z", play: "M4 2v12l9-6z", step: "M3 2v12l6-6zM11 2h2v12h-2z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.6v10.8A5.4 5.4 0 0 1 8 2.600z",
  plus: "M7 2h2v5h5v2H9v5H7V9H2V7h5z", minus: "M2 7h12v2H2z", fit: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
};
export const icon = (name) => s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

export class Refused extends Error {}

export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("Lantern does not answer. Does `lantern web` still run?");
  }
  const told = await response.json().catch(() => ({ error: `Lantern answered ${response.status}.` }));
  if (!response.ok) throw new Refused(told.error ?? `Lantern answered ${response.status}.`);
  return told;
}

// What an exported file holds; null on a page that a server gives.
export const recorded = globalThis.recorded ?? null;

export const me = recorded ? Promise.resolve({ control: false, csrf: "", policies: [] }) : ask("/api/me");

export async function act(path, body) {
  const { csrf } = await me;
  return ask(path, { method: "POST", headers: { "content-type": "application/json", "x-lantern-csrf": csrf }, body: JSON.stringify(body) });
}

export const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

export function ago(date) {
  const seconds = Math.max(0, (Date.now() - new Date(date)) / 1000);
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]]) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${Math.floor(seconds)} s`;
}

export function seconds(value) {
  if (value < 0.0995) return `${Math.round(value * 1000)} ms`;
  return value < 60 ? `${value.toFixed(value < 10 ? 2 : 1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export const score = (value, max) => `${value ?? "?"}${max === null || max === undefined ? "" : ` / ${max}`}`;

export function frame(work) {
  // Runs `work` at most once for each picture that is drawn, and not at all while the page is hidden.
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; work(); });
  };
}

export function later(work, milliseconds) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), milliseconds); };
}

const colours = new Map(); // of the theme: asking for one makes the browser compute all styles anew
addEventListener("themechange", () => colours.clear());

export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return colours.get(name);
}

export function say(text) {
  $("#said").textContent = text;
}

const PAGES = [["Sessions", "/"], ["Evaluations", "/evaluations"], ["Mesh", "/mesh"]];

export function topBar(current) {
  const lamp = s("svg", { viewBox: "0 0 17 20", "aria-hidden": "true" },
    s("path", { class: "glass", d: "M4.500 7.500h8l1 8h-10z" }), s("path", { class: "frame", d: "M5.500 5.500a3 3.500 0 0 1 6 0M3.500 7h10M3 16h11M2.500 18.500h12M5 7.500l-1 8M12 7.500l1 8" }));
  const links = recorded ? [] : PAGES.map(([name, path]) => h("a", { href: path, "aria-current": name === current ? "page" : null }, name));
  document.body.prepend(
    h("a", { class: "skip", href: "#main" }, "Skip to the content"),
    h("header", { class: "top" },
      h(recorded ? "span" : "a", { class: "brand", href: recorded ? null : "/", "aria-label": recorded ? null : "Lantern, all sessions" }, lamp, h("span", {}, "Lantern")),
      h("nav", { "aria-label": "Pages" }, links), h("span", { class: "grow" }),
      h("button", { class: "plain", onclick: () => globalThis.toggleTheme(), title: "Light or dark", "aria-label": "Light or dark" }, icon("theme"))),
  );
  document.body.append(h("p", { id: "said", class: "visually-hidden", "aria-live": "polite" }));
}
