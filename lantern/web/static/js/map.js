// The map as it was known at the step that is looked at: rooms, ways, one-way and blocked ones, what is unexplored.
import { $, count, frame, h, icon, s } from "./base.js";

const WIDE = 152, HIGH = 84, BOX = 118, TALL = 44;
const COMPASS = { north: [0, -1], south: [0, 1], east: [1, 0], west: [-1, 0], northeast: [1, -1], northwest: [-1, -1], southeast: [1, 1], southwest: [-1, 1], up: [0.55, -1], down: [-0.55, 1], in: [1, 0.5], out: [-1, -0.5], fore: [0, -1], aft: [0, 1], port: [-1, 0], starboard: [1, 0] };
const ON_PAPER = new Set(["north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"]);

export class MapView {
  constructor(session, box, info, tools, onStep) {
    Object.assign(this, { session, box, info, onStep });
    this.scale = 1;
    this.centre = null;
    this.picked = null;
    this.moved = false;
    this.group = s("g");
    const arrow = s("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { class: "arrow", d: "M0 0L10 5L0 10z" }));
    this.svg = s("svg", { role: "group", "aria-label": "Map" }, s("defs", {}, arrow), this.group);
    box.append(this.svg);
    this.redraw = frame(() => this.draw());
    for (const name of ["map", "cursor", "rows"]) session.on(name, this.redraw);
    this.size = { width: box.clientWidth, height: box.clientHeight };  // not asked for while the map is drawn: that would lay out the page
    new ResizeObserver(() => { this.size = { width: box.clientWidth, height: box.clientHeight }; this.place(); }).observe(box);
    const button = (name, label, work) => h("button", { class: "plain", "aria-label": label, title: label, onclick: work }, icon(name));
    tools.append(button("plus", "Zoom in", () => this.zoom(1.3)), button("minus", "Zoom out", () => this.zoom(1 / 1.3)), button("fit", "Show the whole map", () => { this.moved = false; this.fit(); }));
    this.pointers();
  }

  pointers() {
    const touches = new Map();
    const spread = () => { const [a, b] = [...touches.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    this.box.addEventListener("pointerdown", (event) => { touches.set(event.pointerId, { x: event.clientX, y: event.clientY }); this.from = null; });
    this.box.addEventListener("pointermove", (event) => {
      const before = touches.get(event.pointerId);
      if (!before || !this.centre) return;
      if (touches.size === 2) {
        const wide = spread();
        touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
        this.zoom(spread() / Math.max(1, wide));
        return;
      }
      const dx = event.clientX - before.x, dy = event.clientY - before.y;
      if (!this.dragging && Math.hypot(dx, dy) < 4) return;
      if (!this.dragging) { this.dragging = true; this.box.setPointerCapture(event.pointerId); this.box.classList.add("dragged"); }
      this.moved = true;
      this.centre = { x: this.centre.x - dx / this.scale, y: this.centre.y - dy / this.scale };
      touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.place();
    });
    const end = (event) => { touches.delete(event.pointerId); setTimeout(() => { this.dragging = false; }); this.box.classList.remove("dragged"); };
    for (const name of ["pointerup", "pointercancel"]) this.box.addEventListener(name, end);
    this.box.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY * 0.0016), event); }, { passive: false });
  }

  zoom(by, event = null) {
    if (!this.centre) return;
    this.moved = true;
    const scale = Math.max(0.12, Math.min(3, this.scale * by));
    if (event) {
      const box = this.box.getBoundingClientRect(), px = event.clientX - box.left - box.width / 2, py = event.clientY - box.top - box.height / 2;
      this.centre = { x: this.centre.x + px / this.scale - px / scale, y: this.centre.y + py / this.scale - py / scale };
    }
    this.scale = scale;
    this.place();
  }

  place() {
    if (!this.centre) return;
    if (!this.moved) { this.fit(); return; }
    this.transform();
  }

  transform() {
    const { width, height } = this.size;
    this.group.setAttribute("transform", `translate(${width / 2} ${height / 2}) scale(${this.scale}) translate(${-this.centre.x} ${-this.centre.y})`);
  }

  fit() {
    const shown = this.shown ?? [];
    if (!shown.length) return;
    const xs = shown.map((room) => room.x * WIDE), ys = shown.map((room) => room.y * HIGH);
    const wide = Math.max(...xs) - Math.min(...xs) + WIDE, high = Math.max(...ys) - Math.min(...ys) + HIGH * 1.2;
    const { width, height } = this.size;
    this.scale = Math.max(0.12, Math.min(1.15, width / wide, height / high));
    this.centre = { x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2 };
    const here = this.session.rooms.get(this.session.rows[this.session.cursor]?.room);
    if (this.scale < 0.42 && here) { this.scale = 0.55; this.centre = { x: here.x * WIDE, y: here.y * HIGH }; }
    this.transform();
  }

  draw() {
    const { session } = this, step = session.cursor, facts = session.factsAt(step), here = session.rows[step]?.room;
    const of = (kind) => facts.filter((fact) => fact.kind === kind);
    const seen = [...session.rooms.values()].filter((room) => room.since <= step);
    const ends = new Set(of("exit").flatMap((fact) => [fact.room, fact.end]));
    this.shown = [...new Set([...seen, ...[...ends].map((id) => session.rooms.get(id)).filter(Boolean)])];
    const at = new Map(this.shown.map((room) => [room.id, { x: room.x * WIDE, y: room.y * HIGH }]));
    const things = Map.groupBy ? Map.groupBy(of("thing"), (fact) => fact.room) : groups(of("thing"));
    const focused = document.activeElement?.dataset?.room;
    this.group.replaceChildren(
      ...lines(of("exit"), of("presumed"), at),
      ...of("unexplored").map((fact) => stub(fact, at, true)), ...of("blocked").map((fact) => stub(fact, at, false)),
      ...this.shown.map((room) => this.room(room, at.get(room.id), here, things.get(room.id)?.length ?? 0)));
    if (focused) this.group.querySelector(`[data-room="${CSS.escape(focused)}"]`)?.focus();
    const number = this.shown.length;
    $("#map-count").textContent = number ? count(number, "room") : "";
    this.svg.setAttribute("aria-label", `Map of ${count(number, "room")}${session.rooms.get(here) ? `; the player is in ${session.rooms.get(here).name}` : ""}`);
    const view = `${number}|${this.shown.reduce((sum, room) => sum + room.x * 31 + room.y, 0)}|${here}`;
    if (view !== this.view && !this.moved) { this.centre ??= { x: 0, y: 0 }; this.fit(); }
    this.view = view;
    this.describe(this.picked && at.has(this.picked) ? this.picked : here, facts);
  }

  room(room, at, here, things) {
    const words = wrapped(room.name), pick = () => { if (!this.dragging) { this.picked = this.picked === room.id ? null : room.id; this.redraw(); } };
    const label = `${room.name}${room.id === here ? ", the player is here" : ""}`;
    return s("g", { class: `room${room.id === here ? " here" : ""}${room.id === this.picked ? " picked" : ""}`, transform: `translate(${at.x} ${at.y})`, tabindex: 0, role: "button", "aria-label": label, "data-room": room.id, onclick: pick, onkeydown: (event) => { if (event.key === "Enter") pick(); } },
      s("title", {}, room.name),
      s("rect", { x: -BOX / 2, y: -TALL / 2, width: BOX, height: TALL, rx: 6 }),
      words.map((word, line) => s("text", { y: (line - (words.length - 1) / 2) * 13 - (things ? 4 : 0) }, word)),
      things ? s("text", { class: "things", y: TALL / 2 - 8 }, count(things, "thing")) : null);
  }

  describe(id, facts) {
    const room = this.session.rooms.get(id);
    if (!room) { this.info.replaceChildren(); this.info.hidden = true; return; }
    this.info.hidden = false;
    const own = facts.filter((fact) => fact.room === id), names = (kind, of = (fact) => fact.way) => own.filter((fact) => fact.kind === kind).map(of).join(", ");
    const visits = [];
    for (let step = 0; step <= this.session.cursor; step++) if (this.session.rows[step]?.room === id && this.session.rows[step - 1]?.room !== id) visits.push(step);
    const carried = id === this.session.rows[this.session.cursor]?.room ? this.session.carriedAt(this.session.cursor) : null;
    const pairs = [
      ["exits", names("exit", (fact) => `${fact.way} → ${this.session.rooms.get(fact.end)?.name ?? fact.end}`)], ["unexplored", names("unexplored")], ["blocked", names("blocked")],
      ["things here", names("thing")], ["carried", carried?.join(", ")]];
    this.info.replaceChildren(
      h("b", {}, room.name), " ", h("span", { class: "faint" }, `entered ${count(visits.length, "time")}`), " ",
      ...visits.slice(-6).map((step) => h("button", { class: "more", onclick: () => this.onStep(step) }, String(step))),
      h("dl", {}, pairs.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
  }
}

function groups(facts) {
  const found = new Map();
  for (const fact of facts) found.set(fact.room, [...(found.get(fact.room) ?? []), fact]);
  return found;
}

// Each pair of rooms once; an arrow where nothing is known to lead back.
function lines(exits, presumed, at) {
  const back = new Set([...exits, ...presumed].map((fact) => `${fact.room}\n${fact.end}`)), drawn = new Set(), found = [];
  for (const fact of exits) {
    const from = at.get(fact.room), to = at.get(fact.end);
    const pair = [fact.room, fact.end].sort().join("\n");
    if (!from || !to || drawn.has(pair)) continue;
    const isOneWay = !back.has(`${fact.end}\n${fact.room}`);
    drawn.add(pair);
    const a = edge(from, to), b = edge(to, from), deed = !(fact.way in COMPASS);
    found.push(s("line", { class: `way${deed ? " deed" : ""}`, x1: a.x, y1: a.y, x2: b.x, y2: b.y, "marker-end": isOneWay ? "url(#arrow)" : null }));
    if (!ON_PAPER.has(fact.way)) found.push(s("text", { class: "label", x: a.x + (b.x - a.x) * 0.42, y: a.y + (b.y - a.y) * 0.42 - 3 }, fact.way.length > 16 ? `${fact.way.slice(0, 15)}…` : fact.way));
  }
  return found;
}

// Where the line from the middle of a box to another point leaves the box.
function edge(from, to) {
  const dx = to.x - from.x, dy = to.y - from.y, by = Math.min(BOX / 2 / Math.max(Math.abs(dx), 1e-6), TALL / 2 / Math.max(Math.abs(dy), 1e-6), 0.5);
  return { x: from.x + dx * by, y: from.y + dy * by };
}

function stub(fact, at, isOpen) {
  const from = at.get(fact.room), way = COMPASS[fact.way];
  if (!from || !way) return "";
  const far = { x: from.x + way[0] * WIDE, y: from.y + way[1] * HIGH }, a = edge(from, far), long = Math.hypot(far.x - from.x, far.y - from.y);
  const ux = (far.x - from.x) / long, uy = (far.y - from.y) / long, x = a.x + ux * 10, y = a.y + uy * 10;
  const end = isOpen ? s("circle", { class: "open", cx: x, cy: y, r: 3 }) : s("line", { class: "blocked", x1: x - uy * 5, y1: y + ux * 5, x2: x + uy * 5, y2: y - ux * 5 });
  return s("g", {}, s("title", {}, `${fact.way}: ${isOpen ? "unexplored" : "blocked"}`), s("line", { class: "stub", x1: a.x, y1: a.y, x2: x, y2: y }), end);
}

function wrapped(name) {
  const lines_ = [""];
  for (const word of name.split(/\s+/)) {
    if (!lines_.at(-1) || `${lines_.at(-1)} ${word}`.length <= 18) lines_[lines_.length - 1] = `${lines_.at(-1)} ${word}`.trim();
    else lines_.push(word);
  }
  const kept = lines_.slice(0, 2).map((line) => (line.length > 19 ? `${line.slice(0, 18)}…` : line));
  if (lines_.length > 2 && !kept[1].endsWith("…")) kept[1] = `${kept[1].slice(0, 17)}…`;
  return kept;
}
