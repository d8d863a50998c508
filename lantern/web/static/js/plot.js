// The score over the steps, and the timeline: both are drawn on a canvas, so that 10,000 steps are as quick as ten.
import { colour, frame, later } from "./base.js";
import { MARKS } from "./store.js";

const ORDER = ["victory", "death", "points", "loss", "substituted", "degraded", "human", "stuck"];
const TALL = { victory: 1, death: 1, points: 0.92, loss: 0.92, substituted: 0.62, degraded: 0.5, human: 0.5, stuck: 0.36 };

const sizes = new WeakMap();

function watchSize(canvas, redraw) {
  // Asking a canvas for its size while it is drawn would lay the page out once more for each picture.
  new ResizeObserver(([{ contentRect }]) => { sizes.set(canvas, contentRect); redraw(); }).observe(canvas);
}

function context(canvas) {
  const { width, height } = sizes.get(canvas) ?? canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

export class Timeline {
  constructor(session, strip, now) {
    Object.assign(this, { session, strip, now, canvas: strip.querySelector("canvas") });
    this.redraw = frame(() => this.draw());
    for (const name of ["rows", "cursor", "about"]) session.on(name, this.redraw);
    addEventListener("themechange", this.redraw);
    watchSize(this.canvas, this.redraw);
    const pick = (event) => session.look(this.stepAt(event));
    strip.addEventListener("pointerdown", (event) => { strip.setPointerCapture(event.pointerId); this.dragged = true; pick(event); });
    strip.addEventListener("pointermove", (event) => { if (this.dragged) pick(event); else { this.hover = this.stepAt(event); this.redraw(); } });
    strip.addEventListener("pointerup", () => { this.dragged = false; });
    strip.addEventListener("pointercancel", () => { this.dragged = false; });
    strip.addEventListener("pointerleave", () => { this.hover = null; this.redraw(); });
    this.speak = later((text) => strip.setAttribute("aria-valuetext", text), 120);
  }

  get span() { return Math.max(60, this.session.last + 1); }

  stepAt(event) {
    const box = this.strip.getBoundingClientRect();
    return Math.max(0, Math.min(this.span - 1, Math.floor(((event.clientX - box.left) / box.width) * this.span)));
  }

  draw() {
    const { session, span } = this, { pen, width, height } = context(this.canvas);
    const bar = width / span, colours = Object.fromEntries(ORDER.map((name) => [name, colour(name)])), plain = colour("step");
    const columns = new Map();
    session.rows.forEach((row, step) => {
      const rank = ORDER.findIndex((name) => row.marks.includes(name)), x = bar >= 1 ? step : Math.floor(step * bar);
      const before = columns.get(x);
      if (before === undefined || (rank >= 0 && (before < 0 || rank < before))) columns.set(x, rank);
    });
    const wide = Math.max(1, bar >= 3 ? bar - 1 : bar);
    for (const [x, rank] of columns) {
      const name = ORDER[rank], tall = height * (TALL[name] ?? 0.2);
      pen.fillStyle = colours[name] ?? plain;
      pen.fillRect(bar >= 1 ? x * bar : x, height - tall, wide, tall);
    }
    this.line(pen, session.cursor, bar, height, colour("ink"), 2);
    if (this.hover !== null && this.hover !== undefined) this.line(pen, this.hover, bar, height, colour("ink-faint"), 1);
    this.told(this.hover ?? session.cursor);
    this.strip.setAttribute("aria-valuemax", String(this.span - 1));
    this.strip.setAttribute("aria-valuenow", String(Math.max(0, session.cursor)));
  }

  line(pen, step, bar, height, style, wide) {
    if (step < 0) return;
    const x = (step + 0.5) * bar;
    pen.fillStyle = style;
    pen.fillRect(x - wide / 2, 0, wide, height);
    if (wide > 1) { pen.beginPath(); pen.moveTo(x - 5, 0); pen.lineTo(x + 5, 0); pen.lineTo(x, 6); pen.fill(); }
  }

  told(step) {
    const row = this.session.rows[step];
    const words = row ? [`step ${step}`, row.action ?? "the opening", row.reward ? `${row.reward > 0 ? "+" : ""}${row.reward}` : "", ...row.marks.filter((mark) => mark !== "points" && mark !== "loss").map((mark) => MARKS[mark])] : [step >= 0 ? `step ${step}` : ""];
    const text = words.filter(Boolean).join(" · ");
    this.now.textContent = text;
    if (this.hover === null || this.hover === undefined) this.speak(text);
  }
}

export class ScorePlot {
  constructor(session, canvas) {
    Object.assign(this, { session, canvas });
    this.redraw = frame(() => this.draw());
    for (const name of ["rows", "cursor", "about"]) session.on(name, this.redraw);
    addEventListener("themechange", this.redraw);
    watchSize(canvas, this.redraw);
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); this.dragged = true; this.pick(event); });
    canvas.addEventListener("pointermove", (event) => { if (this.dragged) this.pick(event); });
    canvas.addEventListener("pointerup", () => { this.dragged = false; });
  }

  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    this.session.look(Math.round(((event.clientX - box.left - 34) / (box.width - 46)) * Math.max(1, this.session.last)));
  }

  draw() {
    const { session } = this, { pen, width, height } = context(this.canvas);
    if (width < 60 || height < 40) return;
    const left = 34, right = 12, top = 12, bottom = 18;
    const most = session.about?.started?.max_score ?? session.about?.ended?.max_score ?? null;
    let low = 0, high = 1;
    session.rows.forEach((row) => { if (row.score !== null) { low = Math.min(low, row.score); high = Math.max(high, row.score); } });
    if (most !== null && most <= high * 6) high = Math.max(high, most);
    const span = Math.max(1, session.last);
    const x = (step) => left + (step / span) * (width - left - right), y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
    this.grid(pen, { low, high, span, x, y, width, height, right, left });
    pen.beginPath();
    let before = null;
    session.rows.forEach((row, step) => {
      if (row.score === null) return;
      if (before === null) pen.moveTo(x(step), y(row.score));
      else { pen.lineTo(x(step), y(before)); pen.lineTo(x(step), y(row.score)); }
      before = row.score;
    });
    pen.strokeStyle = colour("points");
    pen.lineWidth = 1.8;
    pen.lineJoin = "round";
    pen.stroke();
    pen.fillStyle = colour("death");
    session.rows.forEach((row, step) => {
      if (!row.marks.includes("death") || row.score === null) return;
      const cx = x(step), cy = y(row.score);
      pen.beginPath(); pen.moveTo(cx, cy - 5); pen.lineTo(cx + 4.5, cy + 3); pen.lineTo(cx - 4.5, cy + 3); pen.fill();
    });
    const row = session.rows[session.cursor];
    pen.fillStyle = colour("ink");
    if (session.cursor >= 0) pen.fillRect(x(session.cursor) - 0.5, top - 6, 1, height - bottom - top + 6);
    if (row && row.score !== null) { pen.beginPath(); pen.arc(x(session.cursor), y(row.score), 3.5, 0, 7); pen.fill(); }
    this.canvas.setAttribute("aria-label", `Score over ${session.last} steps, now ${row?.score ?? "unknown"}, best ${session.best ?? "unknown"}`);
  }

  grid(pen, { low, high, span, x, y, width, height, right, left }) {
    pen.font = "10.5px system-ui, sans-serif";
    pen.fillStyle = colour("ink-faint");
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks(low, high, Math.max(2, Math.floor(height / 38)))) {
      pen.fillText(String(value), left - 6, y(value));
      pen.beginPath(); pen.moveTo(left, Math.round(y(value)) + 0.5); pen.lineTo(width - right, Math.round(y(value)) + 0.5); pen.stroke();
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    for (const value of ticks(0, span, Math.max(2, Math.floor(width / 90)))) pen.fillText(value.toLocaleString("en"), x(value), height - 5);
  }
}

function ticks(low, high, wanted) {
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const size = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough));
  const found = [];
  for (let value = Math.ceil(low / size) * size; value <= high; value += size) found.push(Math.round(value));
  return found;
}

