// What everyone said about a step: the decision, each sub-agent, every message, the models, who took how long.
import { h, seconds } from "./base.js";

const LONG = 420;

const offset = (page, message) => {
  const start = page.messages.find((each) => each.kind === "step");
  return start ? (new Date(message.time) - new Date(start.time)) / 1000 : 0;
};
const of = (page, kind) => page.messages.find((message) => message.kind === kind)?.body;

export function mesh(page, onAction) {
  const proposal = page.messages.find((message) => message.kind === "proposal"), verdict = page.messages.find((message) => message.kind === "verdict");
  const fragments = page.messages.filter((message) => message.kind === "fragment").sort((a, b) => (a.service.name < b.service.name ? -1 : 1));
  const late = proposal?.body.missing ?? [];
  const cards = fragments.map((message) => fragmentCard(page, message, onAction));
  const ahead = page.messages.filter((message) => message.kind === "lookahead").map((message) => aheadCard(page, message, onAction));
  const hands = page.messages.filter((message) => message.kind === "controls").map(({ body }) => h("p", { class: "reason" }, chip(body.by_hand ? "by hand" : "by policy", body.by_hand ? "human" : ""), body.by_hand ? " A person has taken the controls." : body.until ? ` The agent has the controls until step ${body.until}.` : " The agent has the controls."));
  for (const name of late) if (!fragments.some((message) => message.service.name === name)) cards.push(card(name, [chip("late", "degraded")], null, h("p", { class: "faint" }, "It did not answer in time.")));
  const ended = of(page, "ended");
  return h("div", { class: "tabpanel" },
    ended ? h("p", { class: "reason" }, `The session has ended: ${ended.reason}${ended.detail ? `, ${ended.detail}` : ""}.`) : null,
    proposal ? decision(page, proposal, verdict) : ended ? null : h("p", { class: "faint" }, "The actor has not decided yet."),
    hands, ahead,
    cards.length ? h("div", {}, cards) : h("p", { class: "empty" }, "No sub-agent has said anything about this step."));
}

export function decision(page, proposal, verdict) {
  const { action, reason, policy, notices = [], missing = [], mind, degraded, fragments, step, ...others } = proposal.body;
  const { token_ratio: _, ...intent } = mind ?? {};
  const replaced = verdict?.body.decision === "substitute";
  const wants = replaced ? [h("span", { class: "gone" }, action), " ", h("span", {}, verdict.body.action)] : action;
  const judged = verdict ? verdictLines(verdict, offset(page, verdict)) : [];
  return h("article", { class: "card decision", "aria-label": "Decision" },
    h("header", {}, h("h3", {}, "actor"), chip(policy, policy === "human" ? "human" : ""), degraded ? chip("by rule", "degraded", degraded) : null, missing.length ? chip(`without ${missing.join(", ")}`, "degraded") : null, when(offset(page, proposal))),
    h("div", { class: "wants" }, wants), h("p", { class: "reason" }, reason),
    fields({ ...intent, ...others, "by rule, because": degraded }),
    notices.length ? h("ul", {}, notices.map((notice) => h("li", { class: "reason" }, chip("stuck", "stuck"), " ", notice))) : null,
    judged);
}

export function meter(score) {
  const mark = h("i");
  mark.style.left = `${Math.round(((score + 1) / 2) * 60)}px`;
  return h("span", { class: "opinion", role: "img", "aria-label": `Opinion ${score} of −1 to 1`, title: `${score} of −1 to 1` }, mark);
}

function verdictLines(verdict, at) {
  const { decision: what, reason, score, by } = verdict.body;
  return [
    h("header", { class: "verdict" }, h("h3", {}, by), chip(what === "substitute" ? "replaced it" : "approved", what === "substitute" ? "substituted" : "points"), meter(score), when(at)),
    h("p", { class: "reason" }, reason)];
}

// What the planner has found by trying actions in an emulator of its own.
function aheadCard(page, message, onAction) {
  const { origin, step, probes, points, actions, risks } = message.body;
  const late = origin < step ? chip(`from step ${origin}`, "degraded", "The search began there, and came too late for its own step") : null;
  const way = actions.flatMap((action, at) => [at ? h("span", { class: "faint", "aria-hidden": "true" }, "→") : null, h("button", { class: "action-chip", onclick: () => onAction(action), title: "Try this in a fork, or type it" }, action)]);
  const deadly = risks.map(({ action, tries, deaths }) => h("li", {}, h("button", { class: "action-chip", onclick: () => onAction(action) }, action), h("meter", { min: 0, max: tries, value: String(deaths), "aria-label": `killed in ${deaths} of ${tries} tries` }), h("span", { class: "faint" }, `killed in ${deaths} of ${tries} tries`)));
  return card("planner: ahead", [points ? chip(`+${points} points in ${actions.length} step${actions.length === 1 ? "" : "s"}`, "points") : chip("no points found", ""), late], offset(page, message),
    way.length ? h("div", { class: "suggestions way" }, way) : null, deadly.length ? h("ul", { class: "risks" }, deadly) : null,
    h("p", { class: "faint" }, `${probes.toLocaleString("en")} actions tried in an emulator beside the game`));
}

function fragmentCard(page, message, onAction) {
  const name = message.service.name, held = message.body.unchanged ? page.held[name] : null, given = held ?? message.body;
  const chips = [message.body.unchanged ? chip(held ? `unchanged since ${held.step}` : "unchanged", "") : null, given.degraded ? chip("by rule", "degraded", given.degraded) : null];
  const parts = (given.sections ?? []).flatMap((section) => [h("p", { class: "section-name" }, section.name), ...words(section.text)]);
  const suggested = given.suggestions?.length ? h("div", { class: "suggestions" }, given.suggestions.map((action) => h("button", { class: "action-chip", onclick: () => onAction(action), title: "Try this in a fork, or type it" }, action))) : null;
  return card(name, chips, offset(page, message), ...parts, suggested, parts.length || suggested ? null : h("p", { class: "faint" }, "nothing to say"));
}

function card(name, chips, at, ...parts) {
  return h("article", { class: "card", "aria-label": name }, h("header", {}, h("h3", {}, name), chips, at === null ? null : when(at)), parts);
}

const chip = (text, kind, title) => h("span", { class: `chip ${kind}`, title }, text);
const when = (at) => h("span", { class: "when" }, `+${seconds(Math.max(0, at))}`);

function words(text) {
  const said = h("p", { class: "said" }, text.trim());
  if (text.length <= LONG && text.split("\n").length <= 7) return [said];
  said.classList.add("cut");
  const more = h("button", { class: "more", "aria-expanded": "false", onclick: () => { said.classList.toggle("cut"); const cut = said.classList.contains("cut"); more.textContent = cut ? "show all" : "show less"; more.setAttribute("aria-expanded", String(!cut)); } }, "show all");
  return [said, more];
}

// Fields that this page does not know by name are shown all the same.
function fields(values) {
  const shown = Object.entries(values).filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length) && value !== undefined);
  if (!shown.length) return null;
  return h("dl", { class: "fields" }, shown.flatMap(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, plain(value))]));
}

function plain(value) {
  if (Array.isArray(value)) return value.map((each) => `• ${plain(each)}`).join("\n");
  const aim = value?.goal ?? value?.puzzle; // of a plan
  if (aim) return value.reason ? `${aim} (${value.reason})` : aim;
  if (typeof value === "object" && value !== null) return Object.entries(value).filter(([, each]) => each !== null && each !== "").map(([name, each]) => `${name.replaceAll("_", " ")}: ${plain(each)}`).join("; ");
  return String(value);
}

export function messages(page) {
  return h("div", { class: "tabpanel" }, page.messages.map((message) => {
    const { prompt_text, reply_text, ...told } = message, size = JSON.stringify(told).length;
    const details = h("details", { class: "message" }, h("summary", {}, h("b", {}, message.kind), h("span", {}, message.service.name), h("span", { class: "faint" }, `${(size / 1000).toFixed(1)} kB`), when(offset(page, message))));
    details.addEventListener("toggle", () => { if (details.open && !details.querySelector("pre")) details.append(json(told)); });
    return details;
  }));
}

function json(value) {
  const text = JSON.stringify(value, null, 2), pre = h("pre", { class: "json" }), token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  let end = 0;
  for (const match of text.matchAll(token)) {
    pre.append(text.slice(end, match.index));
    const kind = match[2] ? "key" : match[1] ? "string" : "other";
    pre.append(h("span", { class: kind }, match[1] ?? match[0]), match[2] ?? "");
    end = match.index + match[0].length;
  }
  pre.append(text.slice(end));
  return pre;
}

export function models(page) {
  const calls = page.messages.filter((message) => message.kind === "model");
  if (!calls.length) return h("p", { class: "empty" }, "No language model was asked at this step.");
  return h("div", { class: "tabpanel" }, calls.map((call) => {
    const { body } = call;
    const cost = body.priced ? `$${body.cost_usd.toFixed(4)}` : "price unknown";
    return h("article", { class: "card" },
      h("header", {}, h("h3", {}, call.service.name), h("span", { class: "mono" }, body.model), body.error ? chip(body.fault ?? "error", "failed") : null, when(offset(page, call))),
      h("p", { class: "reason" }, `${body.input_tokens.toLocaleString("en")} tokens in${body.cached_tokens ? ` (${body.cached_tokens.toLocaleString("en")} cached)` : ""}, ${body.output_tokens.toLocaleString("en")} out · ${cost} · ${seconds(body.seconds)}`),
      body.error ? h("p", { class: "said" }, body.error) : null,
      folded("Prompt", call.prompt_text), folded("Reply", call.reply_text, true));
  }));
}

function folded(title, text, open = false) {
  if (!text) return null;
  return h("details", { class: "message", open }, h("summary", {}, h("b", {}, title), h("span", { class: "faint" }, `${text.length.toLocaleString("en")} characters`)), h("pre", { class: "words" }, text));
}

export function waterfall(page) {
  const start = page.messages.find((message) => message.kind === "step");
  if (!start) return h("p", { class: "empty" }, "The step itself is not recorded here.");
  const zero = new Date(start.time).getTime(), at = (message) => (new Date(message.time).getTime() - zero) / 1000;
  const rows = page.messages.filter((message) => !["step", "started", "ended"].includes(message.kind)).sort((a, b) => at(a) - at(b));
  const fragmentsEnd = Math.max(0, ...rows.filter((message) => message.kind === "fragment").map(at));
  const proposal = rows.find((message) => message.kind === "proposal"), verdict = rows.find((message) => message.kind === "verdict");
  const spans = rows.map((message) => {
    const end = at(message);
    if (message.kind === "model") return { name: `${message.service.name}: model`, from: Math.max(0, end - message.body.seconds), end, kind: "model" };
    if (message.kind === "proposal") return { name: "actor", from: Math.min(fragmentsEnd, end), end, kind: "actor" };
    if (message.kind === "verdict") return { name: message.body.by, from: proposal ? Math.min(at(proposal), end) : 0, end, kind: "critic" };
    return { name: message.service.name, from: 0, end, kind: "" };
  });
  if (page.next_time && verdict) spans.push({ name: "game executes", from: at(verdict), end: (new Date(page.next_time).getTime() - zero) / 1000, kind: "game" });
  const all = Math.max(0.001, ...spans.map((span) => span.end));
  return h("div", { class: "tabpanel" }, h("div", { class: "waterfall" }, spans.flatMap((span) => {
    const bar = h("i", { class: span.kind });
    bar.style.left = `${(100 * span.from) / all}%`;
    bar.style.width = `${(100 * Math.max(0, span.end - span.from)) / all}%`;
    return [h("span", {}, span.name), h("span", { class: "lane", role: "img", "aria-label": `${span.name}: from ${seconds(span.from)} to ${seconds(span.end)}` }, bar), h("span", { class: "took" }, seconds(Math.max(0, span.end - span.from)))];
  })), h("p", { class: "faint" }, `${seconds(all)} from the step to the next one. A bar ends when the message was published.`));
}
