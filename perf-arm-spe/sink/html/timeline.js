/* SPDX-License-Identifier: GPL-2.0-only */
/* Who ran where: a lane per CPU, a column per step of time, coloured by process. */

const canvas = byId("time");
const pen = canvas.getContext("2d");
const margin = { left: 46, right: 8, top: 4, bottom: 26 };
const cursor = { lane: -1, bin: -1 };
let frame = null; /* where things are on the canvas */

function laneHeight() {
  return Math.max(5, Math.min(30, Math.floor(520 / Math.max(1, lanes.length))));
}

/* Lines at an angle: nobody's samples, told apart without colour. */
function hatch() {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const ink = tile.getContext("2d");
  ink.fillStyle = colourOf("--card");
  ink.fillRect(0, 0, 6, 6);
  ink.strokeStyle = colourOf("--nobody");
  ink.lineWidth = 1.5;
  ink.beginPath();
  for (const from of [-6, 0, 6]) {
    ink.moveTo(from, 6);
    ink.lineTo(from + 6, 0);
  }
  ink.stroke();
  return pen.createPattern(tile, "repeat");
}

/* What a column of a lane holds: [process, samples], most first. */
const cellOf = (lane, bin) => [...(cells[lane][bin] || [])].sort((a, b) => b[1] - a[1]);

const laneFont = "12px system-ui, sans-serif";

function fit() {
  pen.font = laneFont;
  margin.left = 14 + Math.ceil(Math.max(20, ...lanes.map((lane) => pen.measureText(lane.label).width)));
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const width = Math.max(280, canvas.parentElement.clientWidth);
  const lane = laneHeight();
  const height = margin.top + lanes.length * lane + margin.bottom;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  frame = { width, height, lane, step: (width - margin.left - margin.right) / Math.max(1, bins) };
}

function drawCell(paints, cell, bin, y, height) {
  const from = Math.round(margin.left + bin * frame.step);
  const width = Math.max(1, Math.round(margin.left + (bin + 1) * frame.step) - from);
  const total = cell.reduce((sum, [, n]) => sum + n, 0);
  let below = 0;
  for (const [process, n] of cell) {
    const top = Math.round((height * below) / total);
    below += n;
    const foot = Math.round((height * below) / total);
    if (foot === top) continue;
    pen.globalAlpha = !state.process || state.process === process ? 1 : 0.13;
    pen.fillStyle = paints.get(process);
    pen.fillRect(from, y + top, width, foot - top);
  }
}

/* Bins without a sample right behind one that reported loss: what was lost lies there. */
function holes(lane) {
  const found = [];
  lanes[lane].loss.forEach((n, bin) => {
    let to = bin + 1;
    while (n && to < bins && !cells[lane][to]) to++;
    if (n && to < bins && to > bin + 1) found.push([bin + 1, to]);
  });
  return found;
}

/* A red line where loss was reported, a red shade over the silence after it. */
function drawLoss(lane, y, height) {
  const at = (bin) => Math.round(margin.left + bin * frame.step);
  pen.fillStyle = colourOf("--loss");
  pen.globalAlpha = 0.22;
  for (const [from, to] of holes(lane)) pen.fillRect(at(from), y, at(to) - at(from), height);
  pen.globalAlpha = 1;
  lanes[lane].loss.forEach((n, bin) => {
    if (n) pen.fillRect(at(bin), y - 1, Math.max(2, Math.min(3, Math.round(frame.step))), height + 2);
  });
}

function drawLane(paints, lane) {
  const y = margin.top + lane * frame.lane;
  const height = frame.lane - (frame.lane > 8 ? 3 : 1);
  let drawn = 0;
  pen.fillStyle = colourOf("--faint");
  pen.fillRect(margin.left, y, frame.width - margin.left - margin.right, height);
  cells[lane].forEach((cell, bin) => {
    drawCell(paints, cell, bin, y, height);
    drawn++;
  });
  pen.globalAlpha = 1;
  drawLoss(lane, y, height);
  return drawn;
}

function drawLaneNames() {
  const every = Math.ceil(13 / frame.lane);
  pen.fillStyle = colourOf("--quiet");
  pen.font = laneFont;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  lanes.forEach((lane, i) => {
    if (i % every === 0) pen.fillText(lane.label, margin.left - 8, margin.top + (i + 0.45) * frame.lane);
  });
}

/* 1, 2 or 5 times a power of ten, so that some eight of them fit. */
function niceStep(span, most) {
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((m) => m * power >= raw);
}

/* Marks of the axis in one unit, with the digits their distance needs. */
function axisText(at, step, span) {
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([n]) => span >= n) || [1, "ns"];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return `${(at / size).toFixed(digits)} ${unit}`;
}

function drawAxis() {
  const span = data.time.bin_ns * bins;
  const width = frame.width - margin.left - margin.right;
  const step = niceStep(span, Math.max(2, width / 110));
  const y = margin.top + lanes.length * frame.lane;
  pen.fillStyle = colourOf("--quiet");
  pen.textBaseline = "top";
  for (let i = 0; i * step <= span; i++) {
    const x = margin.left + (width * i * step) / span;
    pen.fillRect(Math.round(x), y, 1, 4);
    pen.textAlign = i === 0 ? "left" : x > frame.width - 40 ? "right" : "center";
    pen.fillText(axisText(i * step, step, span), x, y + 7);
  }
}

function drawCursor() {
  if (cursor.lane < 0) return;
  pen.strokeStyle = colourOf("--ink");
  pen.lineWidth = 1.5;
  pen.strokeRect(
    margin.left + cursor.bin * frame.step - 1.5,
    margin.top + cursor.lane * frame.lane - 1.5,
    Math.max(3, frame.step + 3),
    frame.lane
  );
}

function drawTimeline() {
  if (!bins) return;
  fit();
  const nobody = hatch();
  const paints = new Map(
    present.map((process) => [process, process.kind === "nobody" ? nobody : colourOf(process.colour)])
  );
  let drawn = 0;
  pen.clearRect(0, 0, frame.width, frame.height);
  lanes.forEach((_, lane) => (drawn += drawLane(paints, lane)));
  drawLaneNames();
  drawAxis();
  drawCursor();
  canvas.dataset.drawn = drawn;
}

/* ---- reading it off ------------------------------------------------------ */

function describeCell(lane, bin) {
  const cell = cellOf(lane, bin);
  const total = cell.reduce((sum, [, n]) => sum + n, 0);
  const from = duration(bin * data.time.bin_ns);
  const parts = cell.slice(0, 4).map(([process, n]) => `${process.label} ${percent(n, total)}`);
  const lost = lanes[lane].loss[bin];
  return [
    element("b", null, `CPU ${lanes[lane].label}, ${from} + ${duration(data.time.bin_ns)}: `),
    total ? `${plural(total, "sample")}: ${parts.join(", ")}` : "no samples",
    cell.length > 4 ? ` and ${count(cell.length - 4)} more` : "",
    lost ? ` · loss reported ${lost === 1 ? "once" : `${count(lost)} times`}` : "",
  ];
}

function moveCursor(lane, bin) {
  cursor.lane = Math.max(0, Math.min(lanes.length - 1, lane));
  cursor.bin = Math.max(0, Math.min(bins - 1, bin));
  fill(byId("time-read"), ...describeCell(cursor.lane, cursor.bin));
  drawTimeline();
}

function pointed(event) {
  const box = canvas.getBoundingClientRect();
  const bin = Math.floor((event.clientX - box.left - margin.left) / frame.step);
  const lane = Math.floor((event.clientY - box.top - margin.top) / frame.lane);
  return lane >= 0 && lane < lanes.length && bin >= 0 && bin < bins ? [lane, bin] : null;
}

const strides = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  PageUp: [0, -20], PageDown: [0, 20], Home: [0, -1e9], End: [0, 1e9],
};

function listenToTimeline() {
  canvas.addEventListener("mousemove", (event) => {
    const at = pointed(event);
    if (at && (at[0] !== cursor.lane || at[1] !== cursor.bin)) moveCursor(...at);
  });
  canvas.addEventListener("click", (event) => {
    const at = pointed(event);
    const cell = at ? cellOf(...at) : [];
    if (cell.length) choose({ process: state.process === cell[0][0] ? null : cell[0][0] });
  });
  canvas.addEventListener("keydown", (event) => {
    const stride = strides[event.key];
    const cell = cursor.lane >= 0 ? cellOf(cursor.lane, cursor.bin) : [];
    if (stride) moveCursor(Math.max(0, cursor.lane) + stride[0], Math.max(0, cursor.bin) + stride[1]);
    else if (event.key === "Enter" && cell.length) choose({ process: cell[0][0] });
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => {
    if (!frame || Math.abs(canvas.parentElement.clientWidth - frame.width) > 1) drawTimeline();
  }).observe(canvas.parentElement);
}

/* ---- around it ----------------------------------------------------------- */

function swatch(colour) {
  const made = element("span", { class: "swatch" });
  made.style.background = colourOf(colour);
  return made;
}

function nobodySwatch() {
  const made = element("span", { class: "swatch" });
  const ink = colourOf("--nobody");
  made.style.background = `repeating-linear-gradient(-45deg, ${ink} 0 1.5px, transparent 1.5px 4px)`;
  return made;
}

const swatchOf = (process) => (process.kind === "nobody" ? nobodySwatch() : swatch(process.colour));

function legend() {
  const named = present.filter((process) => process.colour !== "--others");
  const entry = (mark, text) => element("span", { class: "key" }, mark, text);
  const rest = present.length - named.length;
  fill(
    byId("time-legend"),
    ...named.map((process) => entry(swatchOf(process), process.label)),
    rest ? entry(swatch("--others"), "all other processes") : null,
    lanes.some((lane) => lane.loss.some((n) => n)) ? entry(swatch("--loss"), "loss reported, and the silence after it") : null,
    entry(swatch("--faint"), "no samples")
  );
}

function drawTimelineSection() {
  if (!bins) {
    byId("time-explain").textContent =
      "The samples have no time: the recording has no timestamps, or no way to put them into perf's clock.";
    for (const id of ["time", "time-read", "time-legend", "time-details"]) byId(id).hidden = true;
    return;
  }
  if (cursor.lane < 0)
    byId("time-read").textContent = "Point at the picture, or move with the arrow keys, to read it off; click or Enter picks the process.";
  byId("time-explain").textContent =
    `Each row is ${lanes.some((lane) => lane.cpus > 1) ? "a group of neighbouring CPUs" : "a CPU"}, ` +
    `each column ${duration(data.time.bin_ns)} of the recording, split by whose samples it holds.` +
    (data.timeless ? ` ${plural(data.timeless, "sample")} without a time not shown.` : "");
  canvas.setAttribute(
    "aria-label",
    `Timeline: ${plural(lanes.length, "row")} of CPUs over ${duration(data.time.span_ns)}` +
      (state.process ? `, ${state.process.label} picked out` : "")
  );
  legend();
  drawTimeline();
}
