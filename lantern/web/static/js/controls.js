// Pausing, stepping, taking the controls and typing actions; all of it only where `lantern web --control` allows it.
import { $, act, ask, h, icon, me, say } from "./base.js";
import { meter } from "./mesh.js";

const EVERY = 2000;
const DELAYS = [["full speed", 0], ["10 a second", 0.1], ["2 a second", 0.5], ["1 a second", 1], ["every 3 s", 3]];

export class Controls {
  constructor(session, onFault) {
    Object.assign(this, { session, onFault });
    this.pace = { hold_after: null, delay: 0 };
    this.byHand = false;
    this.played = false;
    this.past = [];
    this.recall = 0;
    me.then(({ control }) => { if (control) this.begin(); });
  }

  begin() {
    const button = (name, label, work) => h("button", { "aria-label": label, title: label, onclick: work }, icon(name));
    this.pauseButton = button("pause", "Pause (space)", () => this.toggle());
    this.stepButton = button("step", "One step (.)", () => this.step());
    this.speed = h("select", { "aria-label": "Speed", class: "hide-narrow", onchange: () => this.setPace({ ...this.pace, delay: Number(this.speed.value) }) }, DELAYS.map(([label, value]) => h("option", { value }, label)));
    this.handButton = h("button", { onclick: () => this.take(!this.byHand) }, "Take over");
    this.stopButton = h("button", { class: "hide-narrow", onclick: () => this.stop() }, "End");
    $("#controls").append(this.pauseButton, this.stepButton, this.speed, this.handButton, this.stopButton);
    this.buildPrompt();
    $("#fork").hidden = false;
    for (const name of ["rows", "about", "page"]) this.session.on(name, () => this.draw());
    this.look();
  }

  buildPrompt() {
    this.input = h("input", { type: "text", id: "action", maxlength: 150, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Your action", placeholder: "what do you do?" });
    this.send = h("button", { class: "primary" }, "Do it");
    this.told = h("span", { role: "status" });
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); this.type(this.input.value); } }, h("span", { "aria-hidden": "true" }, "›"), this.input, this.send);
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    const advice = h("button", { type: "button", onclick: () => this.advise() }, "What would the agent do?");
    const opinion = h("button", { type: "button", onclick: () => this.opine(), title: "Before you do it (Ctrl+Enter)" }, "What does the critic think of it?");
    $("#prompt").append(form, h("div", { class: "says" }, advice, opinion, h("button", { type: "button", onclick: () => this.take(false) }, "Hand back to the agent"), this.told));
  }

  onKey(event) {
    if (event.key === "Enter" && event.ctrlKey) { event.preventDefault(); this.opine(); return; }
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !this.past.length) return;
    event.preventDefault();
    this.recall = Math.max(0, Math.min(this.past.length, this.recall + by));
    this.input.value = this.past[this.recall] ?? "";
  }

  async look() {
    if (this.session.isLive && !document.hidden) {
      try {
        const told = await ask(`${this.session.path}/standing`);
        this.played = told.played;
        if (told.played) { this.pace = told.pace; this.byHand = told.by_hand; }
      } catch { this.played = false; }
      this.draw();
    }
    setTimeout(() => this.look(), EVERY);
  }

  get held() { return this.pace.hold_after !== null && this.pace.hold_after <= this.session.newest; }

  draw() {
    const live = this.session.isLive && this.played;
    $("#controls").hidden = !live;
    if (this.session.held !== (live && this.held)) { this.session.held = live && this.held; this.session.tell("follow"); }
    const shown = this.held ? "play" : "pause";
    if (this.pauseButton.dataset.shown !== shown) { // a picture that is replaced while it is pressed is never clicked
      this.pauseButton.dataset.shown = shown;
      this.pauseButton.replaceChildren(icon(shown));
      this.pauseButton.setAttribute("aria-label", this.held ? "Go on (space)" : "Pause (space)");
    }
    if (document.activeElement !== this.speed) this.speed.value = String(DELAYS.map(([, value]) => value).reduce((best, value) => (Math.abs(value - this.pace.delay) < Math.abs(best - this.pace.delay) ? value : best), 0));
    this.handButton.textContent = this.byHand ? "Hand back" : "Take over";
    this.handButton.setAttribute("aria-pressed", String(this.byHand));
    const wasHidden = $("#prompt").hidden;
    $("#prompt").hidden = !(live && this.byHand);
    if (live && this.byHand) this.drawPrompt(wasHidden);
  }

  drawPrompt(isNew) {
    const { session } = this, row = session.rows[session.newest], over = row?.marks.includes("death") || row?.marks.includes("victory");
    const waits = this.sent !== session.newest;
    this.send.disabled = !waits;
    this.send.textContent = over ? "Restart" : "Do it";
    if (session.newest !== this.toldAt) { this.toldAt = session.newest; this.told.replaceChildren(over ? "The game is over: any answer starts it again." : ""); }
    if (isNew) this.input.focus();
  }

  async doing(work) {
    try { await work(); this.onFault(""); } catch (error) { this.onFault(error.message); }
    this.draw();
  }

  setPace(pace) { return this.doing(async () => { this.pace = (await act(`${this.session.path}/pace`, pace)).pace; }); }
  toggle() { return this.setPace({ ...this.pace, hold_after: this.pace.hold_after === null ? Math.max(0, this.session.newest) : null }); }
  step() { return this.setPace({ ...this.pace, hold_after: Math.max(this.session.newest, this.pace.hold_after ?? 0) + 1 }); }
  stop() { return this.doing(() => act(`${this.session.path}/stop`, {})); }

  take(byHand) {
    return this.doing(async () => {
      this.byHand = (await act(`${this.session.path}/controls`, { by_hand: byHand })).by_hand;
      if (this.byHand) this.session.follow();
      say(this.byHand ? "You have the controls." : "The agent has the controls.");
    });
  }

  type(text) {
    const over = this.send.textContent === "Restart", action = text.trim() || (over ? "restart" : "");
    if (!action) return null;
    const step = this.session.newest;
    this.sent = step;
    return this.doing(async () => {
      this.session.follow();
      try { await act(`${this.session.path}/act`, { step, action }); } catch (error) { this.sent = null; throw error; }
      this.past = [...this.past.filter((each) => each !== action), action].slice(-100);
      this.recall = this.past.length;
      this.input.value = "";
    });
  }

  async advise() {
    this.told.textContent = "asking …";
    await this.doing(async () => {
      try {
        const told = await act(`${this.session.path}/advise`, {});
        this.told.replaceChildren(h("button", { class: "action-chip", type: "button", onclick: () => this.fill(told.action) }, told.action), ` ${told.reason}`);
      } catch (error) { this.told.textContent = ""; throw error; }
    });
  }

  // What the critic thinks of the action at the prompt; nothing of it is played.
  async opine() {
    const action = this.input.value.trim();
    if (!action) { this.told.textContent = "Type an action first: the critic judges it before you do it."; this.input.focus(); return; }
    this.told.textContent = "asking …";
    try {
      const { score, reason } = await act(`${this.session.path}/opinion`, { step: this.session.newest, action });
      this.told.replaceChildren(h("b", {}, action), " ", meter(score), ` ${reason}`);
    } catch (error) { this.told.textContent = error.message; }
  }

  fill(action) { this.input.value = action; this.input.focus(); }
}
