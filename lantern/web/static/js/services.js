// The services that are live, cell by cell: versions, health, rates, lag.
import { $, ask, count, h, seconds, topBar } from "./base.js";

const EVERY = 2000;
const COLUMNS = ["Service", "Version", "Serves", "State", "Handled", "Failed", "Lag", "Rate", "Median", "Slowest 1 %"];
const NUMBERS = new Set(COLUMNS.slice(4));

const rate = (value) => (value === null ? "–" : `${value.toFixed(value < 10 ? 1 : 0)} / s`);
const took = (value) => (value === null ? "–" : seconds(value));

function row(service) {
  const well = service.healthy, silent = service.silent_seconds > 3;
  const state = h("span", { class: `chip ${silent ? "lost" : well ? "points" : "failed"}`, title: service.problems.join("; ") || null }, silent ? `silent for ${Math.round(service.silent_seconds)} s` : well ? service.state : "ill");
  const serves = service.shadow ? "shadow" : service.scope === "*" ? "all sessions" : h("a", { href: `/sessions/${service.scope}` }, service.scope);
  const cells = [[h("b", {}, service.name), h("div", { class: "sub mono" }, service.instance)], service.version, serves, [state, service.problems.length ? h("div", { class: "sub" }, service.problems[0]) : null],
    service.handled.toLocaleString("en"), service.failed.toLocaleString("en"), String(service.lag), rate(service.messages_per_second), took(service.seconds_p50), took(service.seconds_p99)];
  return h("tr", {}, cells.map((cell, at) => h("td", { class: NUMBERS.has(COLUMNS[at]) ? "number" : null }, cell)));
}

function cell(told) {
  const dead = Object.entries(told.dead_letters);
  return [
    h("h2", {}, `Cell ${told.cell}`),
    dead.length ? h("p", { class: "notice" }, `Dead letters: ${dead.map(([name, number]) => `${number} of ${name}`).join(", ")}. See lantern dead-letters list.`) : null,
    told.services.length
      ? h("div", { class: "sheet", tabindex: 0, role: "region", "aria-label": `Services of ${told.cell}` }, h("table", {}, h("thead", {}, h("tr", {}, COLUMNS.map((name) => h("th", { scope: "col", class: NUMBERS.has(name) ? "number" : null }, name)))), h("tbody", {}, told.services.map(row))))
      : h("p", { class: "faint" }, "No service is live. `lantern serve all` starts them; `lantern play` brings its own.")];
}

async function look() {
  try {
    if (!document.hidden) {
      const { cells } = await ask("/api/mesh"), stream = cells[0]?.stream;
      $("#cells").replaceChildren(...cells.flatMap(cell).filter(Boolean));
      $("#counts").textContent = stream ? `${count(stream.messages, "message")} recorded, ${(stream.bytes / 1e6).toFixed(1)} MB` : "";
      $("#fault").hidden = true;
    }
  } catch (error) {
    $("#fault").textContent = error.message;
    $("#fault").hidden = false;
  }
  setTimeout(look, EVERY);
}

topBar("Mesh");
look();
