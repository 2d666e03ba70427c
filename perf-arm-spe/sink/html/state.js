/* SPDX-License-Identifier: GPL-2.0-only */
/* The data of the page, and what is chosen: both in the address behind #. */

const data = JSON.parse(byId("data").textContent);
const { processes, lanes, tables, accounting } = data;
const bins = data.time ? data.time.bins : 0;
const trendSteps = data.time ? Math.ceil(bins / data.time.trend_bins) : 0;

/* Pairs of (places further, what stands there), as the page's data has them. */
function spread(pairs, room) {
  const list = new Array(room).fill(0);
  for (let i = 0, at = 0; i < pairs.length; i += 2) {
    at += pairs[i];
    list[at] = pairs[i + 1];
  }
  return list;
}

/* Which colour of the style sheet: eight for the busiest, and what is not quite a process. */
function processColour(process, rank) {
  if (process.kind === "nobody") return "--nobody";
  if (process.kind === "others") return "--others";
  if (process.pid === 0) return "--idle";
  return rank < 8 ? `--p${rank}` : "--others";
}

const known = new Map();
const names = processes.map((process) => process.process);
const isTwice = (name) => names.indexOf(name) !== names.lastIndexOf(name);
let rank = 0;
processes.forEach((process, slot) => {
  process.slot = slot;
  process.colour = processColour(process, rank);
  if (process.colour.startsWith("--p")) rank++;
  if (process.kind === "nobody") {
    process.key = "none";
    process.label = "not attributed";
  } else if (process.kind === "others") {
    process.key = "others";
    process.label = `${plural(process.processes, "other process", "other processes")}`;
  } else {
    const name = visible(process.process);
    process.key = process.kind === "process" ? String(process.pid) : name;
    process.label = process.pid === 0 ? `${name} (idle)` : isTwice(process.process) ? `${name} ${process.pid}` : name;
    /* A number can come twice: ids are used again. */
    for (let n = 2; known.has(process.key); n++) process.key = `${process.pid}-${n}`;
  }
  known.set(process.key, process);
  process.laneSamples = process.cells.map((pairs) => pairs.reduce((sum, n, i) => (i % 2 ? sum + n : sum), 0));
  for (const [name, pairs] of Object.entries(process.trend)) process.trend[name] = spread(pairs, trendSteps);
  process.bars = process.bars.map((pairs) => spread(pairs, data.bar_cycles.length));
});
lanes.forEach((lane) => {
  lane.label = lane.first < 0 ? "?" : lane.cpus === 1 ? String(lane.first) : `${lane.first}–${lane.last}`;
  lane.loss = spread(lane.loss, bins);
});
data.total.bars = data.total.bars.map((pairs) => spread(pairs, data.bar_cycles.length));

/* What stands where in the timeline: [process, samples], the busiest process first; undefined: nothing. */
const cells = lanes.map(() => new Array(bins));
processes.forEach((process) =>
  process.cells.forEach((pairs, lane) => {
    for (let i = 0, bin = 0; i < pairs.length; i += 2) {
      bin += pairs[i];
      (cells[lane][bin] ||= []).push([process, pairs[i + 1]]);
    }
  })
);

/* Rows worth showing: "0 other processes" is none. Others and nobody come last. */
const present = processes.filter((process) => process.samples > 0);

const state = { process: null, latency: data.latencies[0], trend: "latency", theme: "system" };
/* What "since when" can show: a number of a step of time, null where there is none. */
const ratio = (part, whole) => (whole ? part / whole : null);
const shareOfSamples = (field) => (trend, i) => {
  const share = ratio(trend[field][i], trend.samples[i]);
  return share === null ? null : 100 * share;
};
const trends = {
  latency: { name: "average latency", unit: "cycles", of: (trend, i) => ratio(trend.cycles[i], trend.timed[i]) },
  l1d_miss: { name: "L1D misses", unit: "% of its samples", of: shareOfSamples("l1d_miss") },
  llc_miss: { name: "LLC misses", unit: "% of its samples", of: shareOfSamples("llc_miss") },
  samples: { name: "samples", unit: "samples a step", of: (trend, i) => trend.samples[i] },
};
const listeners = [];
const onChange = (listener) => listeners.push(listener);

function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  state.process = known.get(asked.get("process")) || null;
  if (data.latencies.includes(asked.get("latency"))) state.latency = asked.get("latency");
  if (Object.hasOwn(trends, asked.get("trend"))) state.trend = asked.get("trend");
  if (["light", "dark"].includes(asked.get("theme"))) state.theme = asked.get("theme");
}

function writeAddress() {
  const said = new URLSearchParams();
  if (state.process) said.set("process", state.process.key);
  if (state.latency !== data.latencies[0]) said.set("latency", state.latency);
  if (state.trend !== "latency") said.set("trend", state.trend);
  if (state.theme !== "system") said.set("theme", state.theme);
  const text = said.toString();
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    /* Shown inside another page, where the address is not ours: only sharing it is lost. */
  }
}

function choose(change) {
  Object.assign(state, change);
  writeAddress();
  listeners.forEach((listener) => listener());
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => state.theme === "dark" || (state.theme === "system" && prefersDark.matches);
