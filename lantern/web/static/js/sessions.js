// The table of all sessions.
import { $, ago, ask, count, h, me, s, score, topBar } from "./base.js";
import * as dialogs from "./dialogs.js";

const EVERY = 2000;
const LIVE = new Set(["running"]);

const COLUMNS = [
  { name: "Session", key: (row) => `${row.game} ${row.session}`, cell: (row) => [h("a", { class: "row", href: `/sessions/${row.session}` }, row.game ?? row.session), h("div", { class: "sub mono" }, row.session, row.parent ? ` ← ${row.parent}` : "")] },
  { name: "Policy", key: (row) => row.policy ?? "", cell: (row) => [row.policy ?? "?", h("div", { class: "sub" }, row.model ?? `seed ${row.seed}`, row.text_only ? " · text only" : "")] },
  { name: "Score", number: true, key: (row) => row.best_score ?? -1e9, cell: (row) => [score(row.best_score, row.max_score), row.score !== row.best_score && row.score !== null ? h("div", { class: "sub" }, `now ${row.score}`) : null] },
  { name: "Over time", key: (row) => (row.max_score ? (row.best_score ?? 0) / row.max_score : -1), cell: (row) => [spark(row)] },
  { name: "Steps", number: true, key: (row) => row.steps, cell: (row) => [row.steps.toLocaleString("en"), LIVE.has(row.state) ? progress(row) : h("div", { class: "sub" }, row.episodes > 1 ? count(row.episodes, "episode") : "")] },
  { name: "State", key: (row) => row.state, cell: (row) => [h("span", { class: `chip ${row.state === "running" ? "live" : row.state}`, title: row.damage }, row.state === "running" ? "live" : row.state)] },
  { name: "Age", number: true, first: "descending", key: (row) => row.date, cell: (row) => [h("time", { datetime: row.date, title: new Date(row.date).toLocaleString() }, ago(row.date))] },
];

let sessions = [];
let sorted = { by: null, up: true };
let drawn = "";

function spark(row) {
  const points = row.changes ?? [];
  const top = Math.max(row.max_score ?? 0, ...points.map(([, value]) => value), 1), low = Math.min(0, ...points.map(([, value]) => value));
  const last = Math.max(row.steps, 1);
  const place = ([step, value]) => [(step / last) * 130, 23 - ((value - low) / (top - low)) * 21];
  let path = "", end = 23;
  for (const point of points) { const [x, y] = place(point); path += path ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)} ${y.toFixed(1)}`; end = y; }
  if (!path) path = `M0 ${end}`;
  path += "H130";
  return s("svg", { class: "spark", viewBox: "0 0 130 24", role: "img", "aria-label": `Score from ${points[0]?.[1] ?? 0} to ${points.at(-1)?.[1] ?? 0}` },
    s("path", { class: "under", d: `${path}V24H0Z` }), s("path", { d: path }));
}

function progress(row) {
  const done = h("span");
  done.style.width = `${Math.min(100, (100 * row.steps) / Math.max(1, row.budget))}%`;
  return h("span", { class: "bar", role: "progressbar", "aria-label": "Progress", "aria-valuenow": row.steps, "aria-valuemin": 0, "aria-valuemax": row.budget }, done);
}

function wanted() {
  const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean), policy = $("#policy").value, state = $("#state").value;
  const found = sessions.filter((row) => {
    const text = `${row.game} ${row.session} ${row.policy} ${row.model ?? ""} ${row.parent ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (!policy || row.policy === policy) && (!state || row.state === state);
  });
  if (!sorted.by) return found;
  const sign = sorted.up ? 1 : -1, key = sorted.by.key;
  return [...found].sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
}

function draw() {
  const found = wanted(), live = sessions.filter((row) => LIVE.has(row.state)).length;
  const told = JSON.stringify([found, sorted.up, sorted.by?.name, Math.floor(Date.now() / 20000)]);
  if (told !== drawn) {
    drawn = told;
    const focused = document.activeElement?.getAttribute?.("href");
    $("#rows").replaceChildren(...found.map((row) => h("tr", { "data-session": row.session }, COLUMNS.map((column) => h("td", { class: column.number ? "number" : null }, column.cell(row))))));
    if (focused) document.querySelector(`#rows a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  $("#counts").textContent = `${count(sessions.length, "session")}${live ? `, ${live} live` : ""}`;
  $("#empty").hidden = found.length > 0;
  $("#empty").textContent = sessions.length ? "No session fits the filter." : "No sessions yet. `lantern play --web` plays one.";
}

function options(select, values) {
  const known = new Set([...select.options].map((option) => option.value));
  for (const value of [...new Set(values)].sort()) if (value && !known.has(value)) select.append(h("option", { value }, value));
}

async function look() {
  try {
    if (!document.hidden) {
      ({ sessions } = await ask("/api/sessions"));
      $("#fault").hidden = true;
      options($("#policy"), sessions.map((row) => row.policy));
      options($("#state"), sessions.map((row) => row.state));
      draw();
    }
  } catch (error) {
    $("#fault").textContent = error.message;
    $("#fault").hidden = false;
  }
  setTimeout(look, EVERY);
}

function sortBy(column, header) {
  const again = sorted.by === column;
  sorted = { by: column, up: again ? !sorted.up : !column.number };
  for (const each of $("#columns").children) each.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
  draw();
}

topBar("Sessions");
me.then(({ control }) => { $("#begin").hidden = !control; });
$("#begin").addEventListener("click", dialogs.begin);
$("#columns").append(...COLUMNS.map((column) => {
  const header = h("th", { class: column.number ? "number" : null, scope: "col" });
  header.append(h("button", { onclick: () => sortBy(column, header) }, column.name));
  return header;
}));
$("form.filters").addEventListener("input", draw);
$("form.filters").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, select, dialog")) { event.preventDefault(); $("#search").focus(); }
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) ask("/api/sessions").then((told) => { sessions = told.sessions; draw(); }).catch(() => {}); });
look();
