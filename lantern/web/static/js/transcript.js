// The game's text, step by step: only the steps around the one that is looked at are on the page.
import { frame, h } from "./base.js";

const BEFORE = 40, AFTER = 25, MORE = 30, MOST = 160, EDGE = 240;

export class Transcript {
  constructor(session, scroll, list, onPick) {
    Object.assign(this, { session, scroll, list, onPick });
    this.first = 0;
    this.last = -1;
    this.items = new Map();
    this.here = -1;
    this.redraw = frame(() => this.draw());
    scroll.addEventListener("scroll", frame(() => this.onScroll()), { passive: true });
    session.on("rows", this.redraw).on("cursor", this.redraw);
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li[data-step]");
      if (item && !getSelection()?.toString()) this.onPick(Number(item.dataset.step));
    });
  }

  draw() {
    const { session } = this, at = session.cursor;
    if (at < 0) return;
    const jumped = at < this.first || at > this.last;
    if (jumped && !(at > this.last && at - this.last <= MORE)) this.reset(at);
    this.extend(this.first, Math.min(Math.max(this.last, at + (session.following ? 0 : AFTER)), session.last));
    if (session.following) this.trimTop();
    const grown = this.refresh();
    if (at !== this.here || grown || (session.following && this.isMoved)) this.mark(at, jumped || grown);
    this.fetchTexts();
  }

  reset(at) {
    this.list.replaceChildren();
    this.items.clear();
    this.first = Math.max(0, at - BEFORE);
    this.last = this.first - 1;
  }

  extend(first, last) {
    for (let step = this.first - 1; step >= first; step--) this.list.prepend(this.item(step));
    for (let step = this.last + 1; step <= last; step++) this.list.append(this.item(step));
    this.isMoved = last > this.last;
    this.first = Math.min(this.first, first);
    this.last = Math.max(this.last, last);
  }

  trimTop() { while (this.last - this.first > MOST) this.drop(this.first++); }
  trimBottom() { while (this.last - this.first > MOST) this.drop(this.last--); }
  drop(step) { this.items.get(step)?.element.remove(); this.items.delete(step); }

  item(step) {
    const element = h("li", { "data-step": step });
    this.items.set(step, { element, told: "" });
    this.fill(step);
    return element;
  }

  // Whether texts have come above the step that is looked at, so that it has moved.
  refresh() {
    let grown = false;
    for (const step of this.items.keys()) grown = (this.fill(step) && step <= this.here) || grown;
    return grown;
  }

  fill(step) {
    const row = this.session.rows[step], text = this.session.texts.get(step), item = this.items.get(step);
    const told = `${row ? row.marks.join() : "?"}|${text === undefined ? "" : "t"}`;
    if (item.told === told) return false;
    const isText = text !== undefined && item.told !== "" && !item.told.endsWith("t");
    item.told = told;
    const before = this.session.rows[step - 1];
    item.element.replaceChildren(
      row && before && row.episode !== before.episode ? h("div", { class: "episode" }, `episode ${row.episode}`) : "",
      h("div", { class: "n" }, h("button", { "aria-label": `Go to step ${step}` }, String(step))),
      h("div", {}, this.action(row, step), body(row, text)));
    return isText;
  }

  action(row, step) {
    if (!row || row.action === null) return "";
    const human = this.session.rows[step - 1]?.marks.includes("human");
    const chips = [];
    if (row.reward) chips.push(h("span", { class: `chip ${row.reward > 0 ? "points" : "death"}` }, `${row.reward > 0 ? "+" : "−"}${Math.abs(row.reward)}`));
    if (row.marks.includes("death")) chips.push(h("span", { class: "chip death" }, "game over"));
    if (row.marks.includes("victory")) chips.push(h("span", { class: "chip victory" }, "won"));
    if (this.session.rows[step - 1]?.marks.includes("substituted")) chips.push(h("span", { class: "chip substituted" }, "critic’s choice"));
    return h("div", { class: human ? "action by-human" : "action" }, h("span", {}, row.action), chips);
  }

  mark(at, jumped) {
    for (const element of this.list.querySelectorAll("li.here")) { element.classList.remove("here"); element.removeAttribute("aria-current"); }
    const element = this.items.get(at)?.element;
    element?.classList.add("here");
    element?.setAttribute("aria-current", "step");
    this.here = at;
    if (!element) return;
    if (this.session.following) { this.scroll.scrollTop = this.scroll.scrollHeight; return; }
    const box = this.scroll.getBoundingClientRect(), own = element.getBoundingClientRect();
    if (jumped || own.top < box.top + 40 || own.bottom > box.bottom - 20) this.scroll.scrollTop += own.top - box.top - Math.max(40, (box.height - own.height) * 0.4);
  }

  onScroll() {
    const { scroll, session } = this;
    if (scroll.scrollTop < EDGE && this.first > 0) {
      const height = scroll.scrollHeight, top = scroll.scrollTop;
      this.extend(Math.max(0, this.first - MORE), this.last);
      scroll.scrollTop = top + scroll.scrollHeight - height;
      this.trimBottom();
      this.fetchTexts();
    } else if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < EDGE && this.last < session.last && !session.following) {
      this.extend(this.first, Math.min(session.last, this.last + MORE));
      this.fetchTexts();
    }
  }

  async fetchTexts() {
    if (this.fetching) { this.again = true; return; }
    this.fetching = true;
    try {
      do {
        this.again = false;
        const height = this.scroll.scrollHeight, atEnd = height - this.scroll.scrollTop - this.scroll.clientHeight < 60;
        if (await this.session.readTexts(this.first, Math.min(this.last, this.session.last))) {
          this.refresh();
          if (atEnd && this.session.following) this.scroll.scrollTop = this.scroll.scrollHeight;
          else this.mark(this.here, true);
        }
      } while (this.again);
    } catch { /* the page says elsewhere that the server is away; the next event asks again */ } finally {
      this.fetching = false;
    }
  }
}

function body(row, text) {
  if (text === undefined) return h("div", { class: "text waiting" }, "…");
  const shown = text.trim(), name = row?.name;
  if (name && shown.startsWith(name) && /^[^\n]*\n/.test(shown)) {
    const end = shown.indexOf("\n");
    return h("div", { class: "text" }, h("span", { class: "room" }, shown.slice(0, end)), shown.slice(end + 1));
  }
  return h("div", { class: "text" }, shown);
}
