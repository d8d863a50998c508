// Two sessions side by side, step by step.
import { $, ask, frame, h, icon, score, topBar } from "./base.js";
import * as inside from "./mesh.js";
import { Timeline } from "./plot.js";
import { Session } from "./store.js";
import { Transcript } from "./transcript.js";

const query = new URLSearchParams(location.search);
const given = /^#(\d+)$/.exec(location.hash);
topBar("Sessions");
const sides = ["a", "b"].map((name) => new Side(name, query.get(name) ?? ""));
const [one, other] = sides.map((side) => side.session);

function Side(name, id) {
  const session = new Session(id);
  this.session = session;
  this.title = h("h2", {}, h("a", { href: `/sessions/${encodeURIComponent(id)}` }, id));
  this.told = h("span", { class: "faint" });
  this.step = h("span", { class: "chip" });
  this.box = h("div", { class: "decision-box" });
  const list = h("ol", { class: "transcript" }), scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `What the game printed in ${id}` }, list);
  $("#main").append(h("section", { class: "panel", "aria-label": `Session ${id}` }, h("header", {}, h("span", { class: "chip" }, name.toUpperCase()), this.title, this.told, h("span", { class: "grow" }), this.step), scroll, this.box));
  new Transcript(session, scroll, list, (step) => go(step));
  const strip = h("div", { class: "strip", role: "slider", tabindex: 0, "aria-label": `Step of ${id}`, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 }, h("canvas")), now = h("span", { class: "now" });
  $("#strips").append(h("div", { class: "legend" }, h("span", {}, name.toUpperCase()), now), strip);
  new Timeline(session, strip, now);
}

let following = null;
// Both stand at the same step; the one that is shorter stays at its end.
function go(step, stay = true) { for (const session of [one, other]) session.look(step, stay); }

for (const [session, twin] of [[one, other], [other, one]]) {
  session.on("cursor", () => {
    if (following || (session.following && session.isLive && twin.last >= session.cursor)) return;
    following = session;
    if (twin.cursor !== Math.min(session.cursor, twin.last) && twin.about) twin.look(session.cursor, !session.following);
    following = null;
  });
  for (const name of ["cursor", "rows", "about", "page"]) session.on(name, () => draw());
}

const draw = frame(() => {
  for (const side of sides) drawSide(side);
  const end = Math.min(one.newest, other.newest);
  let parts = -1, same = 0;
  for (let step = 0; step <= end; step++) {
    const alike = one.rows[step]?.action === other.rows[step]?.action;
    same += alike;
    if (!alike && parts < 0) parts = step;
  }
  const words = end < 0 ? "" : parts < 0 ? `the same ${same.toLocaleString("en")} actions` : `part at step ${parts}; ${Math.max(0, same - 1).toLocaleString("en")} of ${end.toLocaleString("en")} actions are the same`;
  const faults = [one, other].map((session) => session.fault).filter(Boolean).join(" ");
  $("#fault").hidden = !faults;
  $("#fault").textContent = faults;
  const told = $("#summary"), key = `${words}`;
  if (told.dataset.told === key) return;
  told.dataset.told = key;
  told.replaceChildren(words, " ", parts >= 0 ? h("button", { onclick: () => go(parts) }, `Go to step ${parts}`) : "");
});

// Which field of which message parted first, as `lantern diff` tells it. A game that goes on may still part.
let asked = "";
async function readParting() {
  if (!sides.every(({ session }) => session.about?.whole)) return;
  const now = [one, other].map((session) => (session.isLive ? "live" : session.last)).join();
  if (now === asked) return;
  asked = now;
  const box = $("#parting");
  try {
    const { parting, starts } = await ask(`/api/parting?a=${encodeURIComponent(one.id)}&b=${encodeURIComponent(other.id)}`);
    const begun = Object.entries(starts).flatMap(([name, [ours, theirs]]) => [h("span", { class: "chip" }, `${name.replaceAll("_", " ")}: ${ours} | ${theirs}`), " "]);
    box.replaceChildren(...begun, ...(parting ? parted(parting) : ["Every message is the same so far."]));
  } catch (error) { box.replaceChildren(h("span", { class: "fault" }, error.message)); }
  box.hidden = false;
}

function parted({ step, message, field, values, only }) {
  const where = h("button", { class: "more", onclick: () => go(step) }, `step ${step}`);
  if (!field) return ["First difference: ", where, `, the ${message} is in ${only} only`];
  return ["First difference: ", where, `, ${message}, `, h("b", {}, field.replaceAll("_", " ")), ": ", ...["A", "B"].flatMap((name, at) => [h("span", { class: "chip" }, name), " ", h("code", {}, values[at]), " "])];
}

for (const session of [one, other]) session.on("about", readParting);

function drawSide(side) {
  const { session } = side, { about } = session, row = session.rows[session.cursor], started = about?.started;
  side.told.textContent = started ? `${started.game} · ${started.policy} · best ${session.best ?? "?"}` : "";
  const twin = session === one ? other : one, apart = row && twin.rows[session.cursor] && row.action !== twin.rows[session.cursor].action;
  side.step.textContent = row ? `step ${session.cursor} of ${session.last} · score ${score(row.score, started?.max_score)}` : "";
  side.step.classList.toggle("substituted", Boolean(apart));
  showDecision(side);
}

async function showDecision(side) {
  const { session } = side, step = session.cursor;
  if (step < 0 || side.shown === `${step}|${session.isLive && step >= session.newest ? session.rows[step]?.marks.join() : ""}`) return;
  side.shown = `${step}|${session.isLive && step >= session.newest ? session.rows[step]?.marks.join() : ""}`;
  try {
    const page = await session.page(step);
    if (session.cursor !== step) return;
    const proposal = page.messages.find((message) => message.kind === "proposal"), verdict = page.messages.find((message) => message.kind === "verdict");
    side.box.replaceChildren(proposal ? inside.decision(page, proposal, verdict) : "");
  } catch { side.shown = ""; }
}

const WALK = [["first", "First step (g)", () => go(0)], ["back", "Back (k)", () => go(one.cursor - 1)], ["next", "Forth (j)", () => go(Math.max(one.cursor, other.cursor) + 1)], ["last", "Last step (G)", () => go(Math.max(one.last, other.last), false)]];
$("#walk").append(...WALK.map(([name, label, work]) => h("button", { class: "plain", "aria-label": label, title: label, onclick: work }, icon(name))));
const KEYS = { g: WALK[0][2], k: WALK[1][2], ArrowLeft: WALK[1][2], j: WALK[2][2], ArrowRight: WALK[2][2], G: WALK[3][2] };
document.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
});

if (one.id && other.id) for (const session of [one, other]) session.open(given ? Number(given[1]) : null);
else {
  one.fault = "Two sessions are compared, and this address does not name two. Open a session and press Compare.";
  draw();
}
addEventListener("pagehide", () => { one.close(); other.close(); });
