// One session: puts the areas together, and does what keys and buttons say.
import { $, ask, frame, h, icon, later, recorded, score, topBar } from "./base.js";
import { Controls } from "./controls.js";
import * as dialogs from "./dialogs.js";
import { MapView } from "./map.js";
import * as inside from "./mesh.js";
import { ScorePlot, Timeline } from "./plot.js";
import { Session } from "./store.js";
import { Transcript } from "./transcript.js";

const id = recorded ? recorded.about.session : decodeURIComponent(location.pathname.split("/")[2]);
const session = new Session(id);
const areas = ["game", "mesh", "map", "score"];
const TABS = [["mesh", "Mesh"], ["messages", "Messages"], ["models", "Models"], ["time", "Time"], ...(recorded ? [] : [["ask", "Ask"]])];
let tab = "mesh";
let page = null;

topBar("Sessions");
document.title = `${id} · Lantern`;
$("#session-id").textContent = id;

const go = (step) => session.look(step);
new Transcript(session, $("#transcript-scroll"), $("#transcript"), go);
new MapView(session, $("#map-view"), $("#room-info"), $("#map-tools"), go);
new Timeline(session, $("#strip"), $("#now"));
new ScorePlot(session, $("#score-plot"));

const controls = new Controls(session, (fault) => { session.fault = fault; session.tell("about"); });

// the step that is looked at

const showStep = frame(() => {
  const row = session.rows[session.cursor], { about } = session;
  $("#step-now").textContent = session.cursor < 0 ? "–" : `${session.cursor.toLocaleString("en")} / ${(session.isLive ? about.started.steps : session.last).toLocaleString("en")}`;
  $("#score-now").textContent = row ? score(row.score, about?.started?.max_score ?? about?.ended?.max_score) : "–";
  $("#room-now").textContent = row?.name || "–";
  $("#room-now").title = row?.name ?? "";
  $("#score-best").textContent = session.best === null ? "" : `best ${session.best}`;
});

const remember = later(() => {
  const hash = session.following ? "" : `#${session.cursor}`;
  if (location.hash !== hash && !recorded) history.replaceState(null, "", location.pathname + location.search + hash);
}, 300);

let asking = null;
const readPage = later(async () => {
  asking?.abort();
  asking = new AbortController();
  try {
    const found = await session.page(session.cursor, asking.signal);
    if (found.step !== session.cursor) return;
    page = found;
    drawInside();
  } catch (error) {
    if (error.name !== "AbortError" && session.connected) $("#inside").replaceChildren(h("p", { class: "empty" }, error.message));
  }
}, 40);

function pageChanged() {
  if (session.livePage?.step === session.cursor && session.cursor >= session.newest) { page = session.livePage; drawInside(); } else if (!(session.following && session.isLive)) readPage();
}

const drawInside = frame(() => {
  if (!page) return;
  const draw = { mesh: () => inside.mesh(page, tryAction), messages: () => inside.messages(page), models: () => inside.models(page), time: () => inside.waterfall(page), ask: () => null }[tab];
  if (!draw) return;
  if (tab === "ask") { drawAsk(); return; }
  const box = $("#inside"), top = box.scrollTop;
  box.replaceChildren(draw());
  box.scrollTop = top;
  const calls = page.messages.filter((message) => message.kind === "model").length;
  $("#tab-models").textContent = calls ? `Models ${calls}` : "Models";
});

// Questions to the memory, as it was after the step that is looked at.

const question = h("input", { type: "text", maxlength: 400, "aria-label": "Question", placeholder: "where is the lamp?", autocomplete: "off" });
const answers = h("div", { "aria-live": "polite" });
const askBox = h("div", { class: "tabpanel ask" }, h("form", { onsubmit: askMemory }, question, h("button", { class: "primary" }, "Ask")), answers);

function drawAsk() {
  if (!askBox.isConnected) $("#inside").replaceChildren(askBox);
}

async function askMemory(event) {
  event.preventDefault();
  const asked = question.value.trim(), at = session.cursor;
  if (!asked) return;
  const told = h("article", { class: "card" }, h("header", {}, h("h3", {}, asked), h("span", { class: "when" }, `after step ${at}`)), h("p", { class: "faint" }, "asking …"));
  answers.prepend(told);
  try {
    const { answer, steps, known, by_text } = await ask(`${session.path}/ask?at=${at}&question=${encodeURIComponent(asked)}`);
    told.lastChild.replaceWith(h("p", { class: known ? "answer" : "answer faint" }, answer), by_text ? h("p", { class: "faint" }, "by the text alone, so less certain") : "", h("p", {}, steps.length ? "told by step " : "", steps.slice(-40).flatMap((step) => [h("button", { class: "more", onclick: () => go(step) }, String(step)), " "])));
    question.value = "";
  } catch (error) { told.lastChild.replaceWith(h("p", { class: "fault" }, error.message)); }
}

session.on("cursor", () => { showStep(); remember(); pageChanged(); }).on("rows", showStep).on("page", pageChanged);

// tabs

function setTab(name) {
  tab = name;
  for (const button of $("#tabs").children) {
    const chosen = button.id === `tab-${name}`;
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
  $("#inside").setAttribute("aria-labelledby", `tab-${name}`);
  $("#inside").scrollTop = 0;
  drawInside();
}

$("#tabs").append(...TABS.map(([name, label]) => h("button", { role: "tab", id: `tab-${name}`, "aria-controls": "inside", onclick: () => setTab(name) }, label)));
$("#tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const names = [...$("#tabs").children], next = names[(names.findIndex((each) => each.tabIndex === 0) + by + names.length) % names.length];
  next.click();
  next.focus();
});
setTab("mesh");

// what is said about the session

function about() {
  const { about: told } = session, started = told?.started;
  $("#story").textContent = started?.game ?? id;
  if (started) document.title = `${started.game} · ${id} · Lantern`;
  const state = $("#state"), live = session.isLive;
  state.hidden = !told?.whole;
  state.className = `chip ${told?.gone ? "lost" : live ? (session.held ? "paused" : "live") : (told?.ended?.reason ?? "")}`;
  state.textContent = told?.gone ? "deleted" : live ? (session.held ? "paused" : "live") : (told?.ended?.reason ?? "");
  const policy = $("#policy");
  policy.hidden = !started;
  if (started) policy.textContent = `${started.policy}${started.model ? ` · ${started.model.name}` : ""} · seed ${started.seed}`;
  const follow = $("#follow");
  follow.hidden = !live;
  follow.setAttribute("aria-pressed", String(session.following));
  $("#fault").textContent = session.fault;
  $("#fault").hidden = !session.fault;
  const notice = $("#notice");
  const lost = session.fault.includes("no session") ? "" : !session.connected ? "The connection to Lantern is lost. The page tries again." : told?.away ? "NATS does not answer. The page goes on when it is back." : told?.gone ? "This session was deleted." : "";
  notice.hidden = !lost;
  if (notice.textContent !== lost) notice.textContent = lost;
}
session.on("about", about).on("about", showStep).on("about", () => { if (session.about?.whole && page?.step !== session.cursor) pageChanged(); }).on("follow", about).on("cursor", () => { $("#follow").setAttribute("aria-pressed", String(session.following)); });
$("#follow").addEventListener("click", () => (session.following ? session.look(session.cursor - 1) : session.follow()));

// walking through the steps

const WALK = [["first", "First step (g)", () => go(0)], ["back", "Back (k, ←)", () => go(session.cursor - 1)], ["next", "Forth (j, →)", () => go(session.cursor + 1)], ["last", "Last step (G)", () => (session.isLive ? session.follow() : go(session.last))]];
$("#walk").append(...WALK.map(([name, label, work]) => h("button", { class: "plain", "aria-label": label, title: label, onclick: work }, icon(name))));

const KEYS = {
  j: () => go(session.cursor + 1), ArrowRight: () => go(session.cursor + 1), k: () => go(session.cursor - 1), ArrowLeft: () => go(session.cursor - 1),
  J: () => go(session.cursor + 10), K: () => go(session.cursor - 10),
  g: () => go(0), Home: () => go(0), G: () => (session.isLive ? session.follow() : go(session.last)), End: () => (session.isLive ? session.follow() : go(session.last)),
  n: () => go(session.nextPoint(1)), p: () => go(session.nextPoint(-1)), "?": () => $("#help").click(), " ": () => { if (!$("#controls").hidden) controls.toggle(); }, ".": () => { if (!$("#controls").hidden) controls.step(); }, m: () => setTab(TABS[(TABS.findIndex(([name]) => name === tab) + 1) % TABS.length][0]),
};
const KEYS_TOLD = [["j → / k ←", "next step, step before"], ["J / K", "ten steps"], ["g / G", "first step, last step (follows a live game)"], ["n / p", "next and previous change of the score"], ["m", "next view of the step: mesh, messages, models, time"], ["space", "pause a live game, or let it go on (with --control)"], [".", "one step of a paused game"], ["?", "this list"]];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog") || (event.key === " " && event.target.closest("button, a, summary"))) return;
  const work = KEYS[event.key];
  if (!work || ((event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key)) && event.target.closest(".map-view"))) return;
  event.preventDefault();
  work();
});

$("#help").addEventListener("click", () => dialogs.keys(KEYS_TOLD));
$("#fork").addEventListener("click", () => dialogs.fork(session, Math.max(0, session.cursor)));
$("#export").href = `${session.path}/export`;
for (const name of recorded ? ["#compare", "#export"] : []) $(name).hidden = true;
$("#compare").addEventListener("click", () => dialogs.compare(id));
// the areas, where only one has room

$("#areas").append(...areas.map((name) => h("button", { "aria-pressed": String(name === "game"), onclick: (event) => {
  $("#main").dataset.area = name;
  for (const button of $("#areas").children) button.setAttribute("aria-pressed", String(button === event.target));
} }, name[0].toUpperCase() + name.slice(1))));

// A suggested action is typed, where a person plays here; elsewhere it is tried in a fork.
function tryAction(action) {
  if (!$("#prompt").hidden && session.following) controls.fill(action);
  else if (!$("#fork").hidden) dialogs.fork(session, session.cursor, action);
}

const given = /^#(\d+)$/.exec(location.hash);
session.open(given ? Number(given[1]) : null);
addEventListener("hashchange", () => { const found = /^#(\d+)$/.exec(location.hash); if (found) go(Number(found[1])); });
addEventListener("pagehide", () => session.close());
