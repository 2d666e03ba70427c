/* SPDX-License-Identifier: GPL-2.0-only */
/* The page: headline numbers, the filter, and drawing it all again when something changes. */

function tile(what, number, note, bad) {
  return element("div", { class: bad ? "tile bad" : "tile" },
    element("p", { class: "what" }, what),
    element("p", { class: "number" }, number),
    element("p", { class: "note" }, note));
}

function lossTile() {
  const lossy = accounting.loss.length;
  const ofCpus = accounting.loss.every((row) => row.cpu >= 0);
  const cpus = lanes.filter((lane) => lane.first >= 0).reduce((n, lane) => n + lane.cpus, 0);
  const sum = (field) => accounting.loss.reduce((n, row) => n + row[field], 0);
  const parts = [
    [sum("truncated"), "truncated buffer"], [sum("partial"), "partial buffer"], [sum("collisions"), "collision"],
    [sum("gaps"), "gap"], [sum("lost_events"), "lost side-band event"],
  ].filter(([n]) => n).map(([n, word]) => plural(n, word));
  if (!lossy && !accounting.dropped)
    return tile("Loss", "none", "reported by the recording");
  if (!lossy)
    return tile("Loss", plural(accounting.dropped, "record"), "damaged and dropped", true);
  return tile("Loss", ofCpus ? `${count(lossy)} of ${plural(cpus, "CPU")}` : plural(lossy, "buffer"), listed(parts), true);
}

/* How many samples lead to a process, and what keeps the others from it. */
function attributedTile() {
  const nobody = processes.find((process) => process.kind === "nobody").samples;
  const without = [
    nobody && `${count(nobody)} of unknown owner`,
    data.thread_only && `${count(data.thread_only)} of a thread whose process is not known`,
  ].filter(Boolean);
  const missing = nobody + data.thread_only;
  return tile("Attributed to a process", percent(data.samples - missing, data.samples),
    without.length ? listed(without) : "every sample has an owner", missing > data.samples / 20);
}

function processTile() {
  const counted = present.filter((process) => ["process", "thread"].includes(process.kind) && process.pid !== 0);
  const others = processes.find((process) => process.kind === "others").processes;
  const note = counted.length ? `busiest: ${counted[0].label}` : present.length ? "only the idle task" : "none";
  return tile(data.thread_only ? "Processes, and threads of none" : "Processes", count(counted.length + others), note);
}

function cpuTile() {
  const cpus = lanes.filter((lane) => lane.samples && lane.first >= 0).reduce((n, lane) => n + lane.cpus, 0);
  return tile("CPUs", cpus ? count(cpus) : "–", cpus ? data.file.core || "model not known" : "the recording does not say which");
}

function drawTiles() {
  const memory = tables.level.all.samples;
  fill(byId("tiles"),
    tile("Samples", count(data.samples),
      accounting.filtered ? `${count(accounting.filtered)} filtered out` : plural(memory, "load or store", "loads and stores")),
    attributedTile(), processTile(), cpuTile(),
    tile("Time span", data.time ? duration(data.time.span_ns) : "–",
      data.time ? `from ${data.time.from_s.slice(0, -3)} s` : "samples have no time"),
    lossTile());
}

function drawHeading() {
  const file = data.file;
  const words = [
    file.host && file.host !== "(none)" && `recorded on ${visible(file.host)}`,
    file.core,
    file.kernel && `Linux ${visible(file.kernel)}`,
    bytes(file.bytes),
  ].filter(Boolean);
  byId("title").textContent = visible(file.name);
  document.title = `${visible(file.name)} – Arm SPE report`;
  byId("subtitle").textContent = words.join(" · ");
  byId("again").textContent = `perf arm-spe report -i ${visible(file.name)}`;
  byId("foot").textContent = `Written by perf-arm-spe ${data.version}.`;
  facts(byId("file-table"), [
    ["File", visible(file.name)], ["Event", visible(file.event)], ["Command", visible(file.command)],
    ["perf", visible(file.perf)], ["Kernel", visible(file.kernel)], ["Architecture", visible(file.arch)],
    ["Host", visible(file.host)],
  ].filter(([, value]) => value));
  const notices = [
    data.selection && `Only part of the recording is on this page: ${visible(data.selection)}.`,
    accounting.partial && `Not the whole recording: ${visible(accounting.partial)}.`,
    accounting.namespace && visible(accounting.namespace),
  ].filter(Boolean);
  fill(byId("notices"), ...notices.map((text) => element("p", { class: "notice" }, text)));
}

function drawFilter() {
  const picked = state.process;
  byId("process").value = picked ? picked.key : "";
  byId("clear").disabled = !picked;
  byId("filtered").textContent = picked
    ? `${plural(picked.samples, "sample")}, ${percent(picked.samples, data.samples)} of all`
    : `${plural(present.length, "row")}, all samples`;
}

function makeFilter() {
  const select = byId("process");
  fill(select, element("option", { value: "" }, "All processes"),
    ...present.map((process) => element("option", { value: process.key },
      `${process.label}${process.kind === "process" ? ` [${process.pid}]` : ""} – ${percent(process.samples, data.samples)}`)));
  select.addEventListener("change", () => choose({ process: known.get(select.value) || null }));
  byId("clear").addEventListener("click", () => choose({ process: null }));
  const latency = byId("latency");
  fill(latency, ...data.latencies.map((name) => element("option", { value: name }, latencyNames[name])));
  latency.addEventListener("change", () => choose({ latency: latency.value }));
  const trend = byId("trend");
  fill(trend, ...Object.entries(trends).map(([key, { name }]) => element("option", { value: key }, name)));
  trend.addEventListener("change", () => choose({ trend: trend.value }));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.process) choose({ process: null });
  });
}

function makeTheme() {
  const next = { system: "light", light: "dark", dark: "system" };
  byId("theme").addEventListener("click", () => choose({ theme: next[state.theme] }));
  prefersDark.addEventListener("change", drawAll);
}

function drawTheme() {
  document.documentElement.classList.toggle("dark", isDark());
  byId("theme").textContent = `Theme: ${state.theme}`;
}

function drawAll() {
  drawTheme();
  chartDefaults();
  drawFilter();
  byId("latency").value = state.latency;
  byId("trend").value = state.trend;
  drawTimelineSection();
  drawTimeTable();
  drawProcessTable();
  drawLatency();
  drawTrend();
  drawLevels();
  drawLevelTable();
  drawCounts();
}

readAddress();
makeFilter();
makeTheme();
listenToTimeline();
drawHeading();
drawTiles();
drawWhole();
onChange(drawAll);
drawAll();
window.addEventListener("hashchange", () => {
  readAddress();
  drawAll();
});
document.documentElement.dataset.drawn = "yes";
