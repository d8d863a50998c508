// What this page knows of one session: rows by step, the map, and the step that is looked at.
// The server tells it over one stream of events; after an interruption the stream goes on where it was.
import { ask, recorded } from "./base.js";
import { unpacked } from "./unpack.js";

const CACHED = 160;

export class Session extends EventTarget {
  constructor(id) {
    super();
    this.id = id;
    this.path = `/api/sessions/${encodeURIComponent(id)}`;
    this.rows = [];
    this.newest = -1;
    this.best = null;
    this.cursor = -1;
    this.following = true;
    this.about = null;
    this.rooms = new Map();
    this.facts = [];
    this.texts = new Map();
    this.pages = new Map();
    this.livePage = null;
    this.connected = true;
    this.fault = "";
  }

  open(cursor = null) {
    if (cursor !== null) { this.cursor = cursor; this.following = false; }
    if (recorded) { this.openRecorded(); return; }
    this.source = new EventSource(`${this.path}/events`);
    const on = (name, take) => this.source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    on("session", (about) => this.takeAbout(about));
    on("rows", (rows) => this.takeRows(rows));
    on("map", (map) => this.takeMap(map));
    on("step", (page) => { this.livePage = page; this.pages.delete(page.step); this.tell("page"); });
    this.source.onopen = () => this.setConnected(true);
    this.source.onerror = () => { this.setConnected(false); if (this.source.readyState === EventSource.CLOSED) this.explain(); };
  }

  // The server has refused the stream: say why, and try again later unless there is no such session.
  async explain() {
    try {
      await ask(`${this.path}/texts?first=0&last=0`);
      this.fault = "";
    } catch (error) {
      this.fault = error.message;
    }
    this.tell("about");
    if (!this.fault.includes("no session")) setTimeout(() => this.open(this.following ? null : this.cursor), 2000);
  }

  openRecorded() {
    this.takeAbout(recorded.about);
    this.takeMap(recorded.map);
    this.takeRows(recorded.rows);
  }

  close() { this.source?.close(); }
  tell(name) { this.dispatchEvent(new Event(name)); }
  on(name, work) { this.addEventListener(name, work); return this; }

  setConnected(connected) {
    if (connected !== this.connected) { this.connected = connected; this.tell("about"); }
  }

  takeAbout(about) {
    const first = this.about === null;
    this.about = about;
    if (first && this.following && about.last > this.newest) { this.cursor = about.last; this.tell("cursor"); }
    this.tell("about");
  }

  takeRows(rows) {
    for (const row of rows) {
      if (row.text !== undefined) { this.texts.set(row.step, row.text); delete row.text; }
      this.rows[row.step] = row;
      if (row.step > this.newest) this.newest = row.step;
      if (row.score !== null && (this.best === null || row.score > this.best)) this.best = row.score;
    }
    if (this.following && this.newest > this.cursor) { this.cursor = this.newest; this.tell("cursor"); }
    this.tell("rows");
  }

  takeMap(map) {
    if (map.whole) { this.rooms.clear(); this.facts = []; }
    for (const room of map.rooms) this.rooms.set(room.id, room);
    for (const fact of map.facts) this.facts[fact.number] = fact;
    this.tell("map");
  }

  get last() { return Math.max(this.newest, this.about?.last ?? -1); }
  get isLive() { return Boolean(this.about?.whole && !this.about.ended && !this.about.gone); }

  // Whoever looks at the last step of a live game follows it, unless the page is to `stay` there.
  look(step, stay = false) {
    const wanted = Math.max(0, Math.min(step, this.last));
    this.following = !stay && this.isLive && wanted >= this.newest;
    if (wanted === this.cursor) { this.tell("follow"); return; }
    this.cursor = wanted;
    this.tell("cursor");
    this.tell("follow");
  }

  follow() { this.following = true; this.cursor = Math.max(this.newest, 0); this.tell("cursor"); this.tell("follow"); }

  // The nearest step with points gained or lost, forwards or backwards; the same step if there is none.
  nextPoint(sign) {
    for (let step = this.cursor + sign; step >= 0 && step <= this.newest; step += sign) if (this.rows[step]?.reward) return step;
    return this.cursor;
  }

  // The facts of the map that were known after a step.
  factsAt(step) { return this.facts.filter((fact) => fact && fact.since <= step && (fact.until === null || fact.until > step)); }

  carriedAt(step) {
    for (let at = step; at >= 0; at--) if (this.rows[at]?.carried) return this.rows[at].carried;
    return null;
  }

  async readTexts(first, last) {
    const missing = [];
    for (let step = first; step <= last; step++) if (!this.texts.has(step)) missing.push(step);
    if (!missing.length) return false;
    const { texts } = recorded ? await this.part(missing[0]) : await ask(`${this.path}/texts?first=${missing[0]}&last=${Math.min(missing.at(-1), missing[0] + 299)}`);
    for (const [step, text] of Object.entries(texts)) this.texts.set(Number(step), text);
    if (this.texts.size > 6000) for (const step of [...this.texts.keys()].slice(0, 3000)) this.texts.delete(step);
    return true;
  }

  // The part of an exported file in which a step is.
  async part(step) { return (await unpacked(`part-${Math.floor(step / recorded.part)}`)) ?? { texts: {}, pages: {} }; }

  // Everything that was said about a step; of a step that is over it is kept.
  async page(step, signal) {
    if (this.livePage?.step === step && (step === this.newest || !this.pages.has(step)) && step >= this.newest) return this.livePage;
    const kept = this.pages.get(step);
    if (kept) return kept;
    const page = recorded ? (await this.part(step)).pages[step] ?? { step, messages: [], held: {}, next_time: null } : await ask(`${this.path}/steps/${step}`, { signal });
    if (step < this.newest || !this.isLive) {
      this.pages.set(step, page);
      if (this.pages.size > CACHED) this.pages.delete(this.pages.keys().next().value);
    }
    return page;
  }
}

export const MARKS = {
  victory: "the game is won", death: "the game is over", points: "points", loss: "points lost",
  substituted: "replaced by the critic", degraded: "degraded", stuck: "signs of being stuck", human: "typed by hand",
};
