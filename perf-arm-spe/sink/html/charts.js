/* SPDX-License-Identifier: GPL-2.0-only */
/* Curves and bars, by Chart.js. Beside each stands the same as a table. */

const charts = {};
const latencyNames = {
  latency: "total latency, dispatch to completion",
  issue_latency: "issue latency, dispatch to issue",
  xlat_latency: "translation latency",
};

function chartDefaults() {
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.color = colourOf("--quiet");
  Chart.defaults.borderColor = colourOf("--rule");
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.plugins.legend.labels.boxWidth = 12;
  Chart.defaults.plugins.legend.labels.boxHeight = 12;
}

function draw(id, config) {
  if (charts[id]) charts[id].destroy();
  charts[id] = new Chart(byId(id), config);
}

/* ---- latency --------------------------------------------------------------- */

const latencySum = (bars) => bars.reduce((a, b) => a + b, 0);

/* The busiest ones, or the one that was picked beside everything. */
function latencyCurves() {
  const which = data.latencies.indexOf(state.latency);
  const all = { label: "all samples", bars: data.total.bars[which], colour: "--quiet", dashed: true };
  const one = (process) => ({ label: process.label, bars: process.bars[which], colour: process.colour });
  const shown = state.process
    ? [one(state.process)]
    : present.filter((process) => process.colour.startsWith("--p")).slice(0, 6).map(one);
  return [...shown, all].filter((curve) => latencySum(curve.bars));
}

function latencyRange(curves) {
  let from = data.bar_cycles.length;
  let to = 0;
  for (const { bars } of curves)
    bars.forEach((n, i) => {
      if (n) [from, to] = [Math.min(from, i), Math.max(to, i)];
    });
  return [Math.max(0, from - 1), Math.min(data.bar_cycles.length - 1, to + 1)];
}

/* Bars above the exact ones are a range of cycles. */
function barLabel(i) {
  const least = data.bar_cycles[i];
  const next = data.bar_cycles[i + 1] || 65536;
  return next - least > 1 ? `${count(least)}–${count(next - 1)}` : count(least);
}

function latencyDatasets(curves, from, to) {
  return curves.map((curve) => {
    const sum = latencySum(curve.bars);
    const ink = colourOf(curve.colour);
    return {
      label: curve.label,
      data: curve.bars.slice(from, to + 1).map((n) => (100 * n) / sum),
      samples: curve.bars.slice(from, to + 1),
      borderColor: ink,
      backgroundColor: `${ink}22`,
      fill: curves.length <= 2 && !curve.dashed,
      borderWidth: curve.dashed ? 1.5 : 2,
      borderDash: curve.dashed ? [5, 4] : [],
      stepped: "middle",
      pointRadius: 0,
      pointHitRadius: 8,
    };
  });
}

function drawLatency() {
  const curves = latencyCurves();
  const box = byId("latency-chart").parentElement;
  byId("latency-explain").textContent = curves.length
    ? "Share of each process's own samples by how many cycles they took. The scale is logarithmic: further right is slower, a second hump is a second cause."
    : "No sample here carries this latency.";
  box.hidden = !curves.length;
  drawLatencyTable();
  if (!curves.length) return;
  const [from, to] = latencyRange(curves);
  const labels = data.bar_cycles.slice(from, to + 1);
  byId("latency-chart").setAttribute(
    "aria-label",
    `Distribution of ${latencyNames[state.latency]} for ${listed(curves.map((curve) => curve.label))}; the table below has the numbers`
  );
  draw("latency-chart", {
    type: "line",
    data: { labels, datasets: latencyDatasets(curves, from, to) },
    options: {
      interaction: { mode: "index", intersect: false },
      scales: {
        x: { title: { display: true, text: "cycles" }, ticks: { maxRotation: 0, autoSkipPadding: 14 }, grid: { display: false } },
        y: { title: { display: true, text: "% of its samples" }, beginAtZero: true },
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: (items) => `${barLabel(from + items[0].dataIndex)} cycles`,
            label: (item) =>
              `${item.dataset.label}: ${item.parsed.y.toFixed(2)}% (${count(item.dataset.samples[item.dataIndex])})`,
          },
        },
      },
    },
  });
}

/* ---- since when ---------------------------------------------------------------- */

/* All processes as if they were one. */
const wholeTrend = {};
for (const name of Object.keys(present.length ? present[0].trend : {}))
  wholeTrend[name] = Array.from({ length: trendSteps }, (_, i) => present.reduce((sum, process) => sum + process.trend[name][i], 0));

const trendStepNs = () => data.time.bin_ns * data.time.trend_bins;
const stepIndexes = Array.from({ length: trendSteps }, (_, i) => i);

function trendCurves() {
  const all = { label: "all samples", trend: wholeTrend, colour: "--quiet", dashed: true };
  const shown = state.process ? [state.process] : present.filter((process) => process.colour.startsWith("--p")).slice(0, 6);
  return [...shown.map((process) => ({ label: process.label, trend: process.trend, colour: process.colour })), all];
}

function trendDataset(curve) {
  const values = stepIndexes.map((i) => trends[state.trend].of(curve.trend, i));
  const none = (i) => values[i] === null || values[i] === undefined;
  return {
    label: curve.label,
    data: values,
    borderColor: colourOf(curve.colour),
    backgroundColor: colourOf(curve.colour),
    borderWidth: curve.dashed ? 1.5 : 2,
    borderDash: curve.dashed ? [5, 4] : [],
    /* A step between two gaps is no line: a point. */
    pointRadius: values.map((_, i) => (none(i - 1) && none(i + 1) ? 2 : 0)),
    pointHitRadius: 8,
    spanGaps: false,
  };
}

const trendNumber = (value) => (value === null ? "–" : state.trend === "samples" ? count(value) : average(value));

function drawTrendTable(curves) {
  const rows = stepIndexes.filter((i) => wholeTrend.samples[i]);
  table(byId("trend-table"), [
    { head: "From", name: true, text: (i) => axisText(i * trendStepNs(), trendStepNs() / 10, data.time.span_ns) },
    ...curves.map((curve) => ({ head: curve.label, text: (i) => trendNumber(trends[state.trend].of(curve.trend, i)) })),
  ], rows, { caption: `${trends[state.trend].name}, ${trends[state.trend].unit}, in steps of ${duration(trendStepNs())}.`, fold: trendFold });
}
const trendFold = { rows: 20, open: false };

function drawTrend() {
  byId("trend-card").hidden = !trendSteps;
  if (!trendSteps) return;
  const curves = trendCurves();
  const { name, unit } = trends[state.trend];
  byId("trend-explain").textContent =
    `How it went over the recording, in steps of ${duration(trendStepNs())}; a gap is a step without samples of that process.`;
  byId("trend-chart").setAttribute("aria-label",
    `${name} over time for ${listed(curves.map((curve) => curve.label))}; the table below has the numbers`);
  drawTrendTable(curves);
  draw("trend-chart", {
    type: "line",
    data: { labels: stepIndexes.map((i) => i * trendStepNs()), datasets: curves.map(trendDataset) },
    options: {
      interaction: { mode: "index", intersect: false },
      scales: {
        x: {
          type: "linear", min: 0, max: data.time.bin_ns * bins, grid: { display: false },
          afterBuildTicks: (axis) => {
            const step = niceStep(data.time.span_ns || 1, 9);
            axis.ticks = Array.from({ length: Math.floor(axis.max / step) + 1 }, (_, i) => ({ value: i * step }));
          },
          ticks: { maxRotation: 0, callback: (value) => axisText(value, niceStep(data.time.span_ns || 1, 9), data.time.span_ns || 1) },
        },
        y: { title: { display: true, text: unit }, beginAtZero: true },
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: (items) => `from ${axisText(items[0].parsed.x, trendStepNs() / 10, data.time.span_ns)}`,
            label: (item) => `${item.dataset.label}: ${trendNumber(item.parsed.y)}`,
          },
        },
      },
    },
  });
}

/* ---- where data came from --------------------------------------------------- */

const levelOrder = ["L1", "L2", "L3", "cache", "DRAM", "I/O", "L1 miss", "LLC miss", null];
const levelColour = ["--l0", "--l1", "--l2", "--l3", "--l4", "--l5", "--l7", "--l6", "--l8"];
const levelName = (label) => (label === null ? "not said" : label);

/* [label, samples] of a process, or of all, in the order of distance. */
function levelsOf(process) {
  const rows = process ? tables.level.processes[process.slot].rows : tables.level.all.rows;
  return levelOrder.map((label) => (rows.find((row) => row[0] === label) || [label, 0])[1]);
}

function levelBars() {
  const all = { label: "all processes", levels: levelsOf(null) };
  const shown = state.process ? [state.process] : present.slice(0, 12);
  const bars = shown.map((process) => ({ label: process.label, levels: levelsOf(process) }));
  return [all, ...bars].filter((bar) => latencySum(bar.levels));
}

function drawLevels() {
  const bars = levelBars();
  const box = byId("level-box");
  const used = levelOrder.map((_, i) => i).filter((i) => bars.some((bar) => bar.levels[i]));
  byId("level-explain").textContent = bars.length
    ? "Loads and stores by the level of memory that served them, nearest first, as the core's data source or its events tell. " +
      "“L1 miss” and “LLC miss”: it went further out, how far is not said."
    : "No sample here is a load or store that says where its data came from.";
  box.hidden = !bars.length;
  if (!bars.length) return;
  box.style.height = `${90 + bars.length * 30}px`;
  byId("level-chart").setAttribute(
    "aria-label",
    `Levels of memory for ${plural(bars.length, "row")}; the table below has the numbers`
  );
  draw("level-chart", {
    type: "bar",
    data: {
      labels: bars.map((bar) => bar.label),
      datasets: used.map((i) => ({
        label: levelName(levelOrder[i]),
        data: bars.map((bar) => (100 * bar.levels[i]) / latencySum(bar.levels)),
        samples: bars.map((bar) => bar.levels[i]),
        backgroundColor: colourOf(levelColour[i]),
        barThickness: 18,
      })),
    },
    options: {
      indexAxis: "y",
      interaction: { mode: "nearest", axis: "y", intersect: false },
      scales: {
        x: { stacked: true, max: 100, ticks: { callback: (value) => `${value}%` }, grid: { display: false } },
        y: { stacked: true, grid: { display: false } },
      },
      plugins: {
        tooltip: {
          mode: "index",
          callbacks: {
            label: (item) =>
              `${item.dataset.label}: ${item.parsed.x.toFixed(2)}% (${count(item.dataset.samples[item.dataIndex])})`,
          },
        },
      },
    },
  });
}
