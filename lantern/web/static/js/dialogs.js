// Dialogs: keys, new sessions, forks, comparing.
import { act, ask, h, me, Refused } from "./base.js";

export function dialog(title, ...content) {
  const box = h("dialog", { "aria-labelledby": "dialog-title", onclose: () => box.remove() }, h("h2", { id: "dialog-title" }, title), content);
  document.body.append(box);
  box.showModal();
  return box;
}

export function keys(told) {
  const rows = told.flatMap(([key, what]) => [h("span", {}, key.split(" ").flatMap((each) => (each === "/" ? [" / "] : [h("kbd", {}, each), " "]))), h("span", {}, what)]);
  const box = dialog("Keys", h("div", { class: "keys" }, rows), h("div", { class: "buttons" }, h("button", { onclick: () => box.close() }, "Close")));
}

const field = (label, input, hint = "") => h("label", { class: "field" }, label, input, hint ? h("span", { class: "faint" }, hint) : null);

// A dialog whose form asks the server for something; what it answers leads to another page.
function asking(title, verb, fields, ask, next) {
  const fault = h("p", { class: "fault", role: "alert" }), start = h("button", { class: "primary" }, verb);
  const form = h("form", {}, fields, fault,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => box.close() }, "Cancel"), start));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.disabled = true;
    start.textContent = "Starting …";
    fault.textContent = "";
    try {
      location.href = next(await ask());
    } catch (error) {
      fault.textContent = error instanceof Refused ? error.message : String(error);
      start.disabled = false;
      start.textContent = verb;
    }
  });
  const box = dialog(title, form);
}

const policySelect = (policies, usual) => h("select", {}, policies.map((name) => h("option", { value: name, selected: name === usual }, name === "human" ? "human: you type" : name)));

export async function begin() {
  const { policies, stories } = await me;
  const story = h("select", {}, stories.map((name) => h("option", { value: name }, name))), policy = policySelect(policies, "heuristic");
  const steps = h("input", { type: "number", min: 1, max: 10000, value: "100" }), seed = h("input", { type: "number", min: 1, max: 2147483647, value: "1" });
  asking("New session", "Play", [
    field("Story", story, "LANTERN_STORIES names a folder with more of them."), field("Played by", policy), field("Steps", steps), field("Seed", seed)],
  () => act("/api/sessions", { story: story.value, policy: policy.value, steps: Number(steps.value), seed: Number(seed.value) }),
  ({ session }) => `/sessions/${encodeURIComponent(session)}`);
}

export async function fork(session, at, action = "") {
  if (!session.about?.started) return;
  const { policies } = await me, started = session.about.started, left = Math.max(0, started.steps - at);
  const usual = policies.includes(started.policy) ? started.policy : "heuristic";
  const typed = h("input", { type: "text", value: action, maxlength: 150, autocomplete: "off", spellcheck: "false", placeholder: "leave it to the policy" });
  const policy = policySelect(policies, usual), steps = h("input", { type: "number", min: 1, max: 10000, value: String(left > 20 ? left : 50) });
  asking(`Fork at step ${at}`, "Fork", [
    h("p", { class: "reason" }, `The fork keeps steps 0 to ${at} of ${session.id}, and goes on from there in another way. The session itself stays as it is.`),
    field("First action", typed), field("Then play by", policy), field("Further steps", steps)],
  () => act(`${session.path}/fork`, { at, policy: policy.value, steps: Number(steps.value), action: typed.value.trim() || null }),
  ({ session: name }) => (policy.value === "human" ? `/sessions/${name}` : `/compare?a=${encodeURIComponent(session.id)}&b=${encodeURIComponent(name)}#${at}`));
  typed.focus();
}

export async function compare(id) {
  const { sessions } = await ask("/api/sessions"), own = sessions.find((row) => row.session === id);
  const kin = (row) => (row.parent?.startsWith(`${id}@`) || own?.parent?.startsWith(`${row.session}@`) ? 0 : row.game === own?.game ? 1 : 2);
  const others = sessions.filter((row) => row.session !== id).sort((a, b) => kin(a) - kin(b));
  const chosen = h("select", {}, others.map((row) => h("option", { value: row.session }, `${row.game} · ${row.session} · ${row.policy} · ${row.best_score ?? "?"} points`)));
  const form = h("form", {}, others.length ? field("Beside", chosen) : h("p", {}, "There is no other session yet."),
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => box.close() }, "Cancel"), others.length ? h("button", { class: "primary" }, "Compare") : null));
  form.addEventListener("submit", (event) => { event.preventDefault(); location.href = `/compare?a=${encodeURIComponent(id)}&b=${encodeURIComponent(chosen.value)}${location.hash}`; });
  const box = dialog("Compare with another session", form);
}
