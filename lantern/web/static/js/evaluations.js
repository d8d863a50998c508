// The runs of evaluations in a folder: how far they are, and what each agent has scored.
import { $, ago, ask, count, h, topBar } from "./base.js";

const EVERY = 5000;
const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);

function agent(told) {
  const cells = [told.agent, `${told.done} of ${told.planned}`, String(told.failed), percent(told.share), `${told.scoring} of ${told.games}`, told.steps.toLocaleString("en"), told.usd ? `$${told.usd.toFixed(2)}` : "–"];
  return h("tr", {}, cells.map((cell, at) => h("td", { class: at ? "number" : null }, cell)));
}

const COLUMNS = ["Agent", "Plays", "Failed", "Mean of maximum", "Games with points", "Steps", "Cost"];

function run(told) {
  if (told.fault) return h("section", {}, h("h2", {}, told.name), h("p", { class: "notice bad" }, told.fault));
  const state = told.done < told.plays ? h("span", { class: "chip" }, `${told.done} of ${count(told.plays, "play")}`) : h("span", { class: "chip points" }, `${count(told.plays, "play")}`);
  const report = told.report ? h("a", { class: "button", href: `/evaluations/${encodeURIComponent(told.name)}/report` }, "Report") : null;
  return h("section", {}, h("h2", {}, told.name, " ", state, " ", h("span", { class: "sub faint" }, `${count(told.games.length, "game")} · ${ago(told.changed * 1000)} ago`), " ", report),
    h("div", { class: "sheet", tabindex: 0, role: "region", "aria-label": told.name }, h("table", {}, h("thead", {}, h("tr", {}, COLUMNS.map((name, at) => h("th", { scope: "col", class: at ? "number" : null }, name)))), h("tbody", {}, told.agents.map(agent)))));
}

async function look() {
  try {
    if (!document.hidden) {
      const { folder, runs } = await ask("/api/evaluations");
      $("#counts").textContent = folder;
      $("#runs").replaceChildren(...(runs.length ? runs.map(run) : [h("p", { class: "empty" }, `No run in ${folder}. lantern evaluate makes one; lantern web --evaluations DIR shows those of another folder.`)]));
      $("#fault").hidden = true;
    }
  } catch (error) {
    $("#fault").textContent = error.message;
    $("#fault").hidden = false;
  }
  setTimeout(look, EVERY);
}

topBar("Evaluations");
look();
