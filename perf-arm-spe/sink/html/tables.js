/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables. A column: { head, text(row), value(row) for sorting, name: text at the left }. */

function headCell(column, i, sort, resort) {
  const sorted = sort && sort.column === i;
  const cell = element("th", {
    scope: "col",
    class: column.name ? "name" : null,
    title: column.title,
    "aria-sort": sorted ? (sort.down ? "descending" : "ascending") : null,
  });
  if (!resort || !column.value) {
    cell.append(column.head);
    return cell;
  }
  const button = element("button", { type: "button" }, column.head + (sorted ? (sort.down ? " ↓" : " ↑") : ""));
  button.addEventListener("click", () => resort(i));
  cell.append(button);
  return cell;
}

function bodyRow(columns, row, options) {
  const classes = options.rowClass ? options.rowClass(row) : null;
  return element(
    "tr",
    { class: classes },
    ...columns.map((column) => {
      const tag = column.name && !column.plain ? "th" : "td";
      return element(tag, { scope: tag === "th" ? "row" : null, class: column.name ? "name" : null }, column.text(row));
    })
  );
}

/* Put a table into the element: rows are sorted by the heads that can. */
function table(into, columns, rows, options = {}) {
  const sort = options.sort;
  const resort = sort
    ? (i) => {
        const down = sort.column === i ? !sort.down : !columns[i].name;
        Object.assign(sort, { column: i, down });
        table(into, columns, rows, options);
        into.querySelectorAll("thead th")[i].querySelector("button").focus();
      }
    : null;
  const isLast = options.isLast || (() => false);
  const ordered = sort
    ? [...rows].sort((a, b) => {
        if (isLast(a) !== isLast(b)) return isLast(a) ? 1 : -1;
        const [x, y] = [columns[sort.column].value(a), columns[sort.column].value(b)];
        const order = typeof x === "string" || typeof y === "string" ? String(x).localeCompare(String(y)) : (x || 0) - (y || 0);
        return sort.down ? -order : order;
      })
    : rows;
  if (!rows.length) {
    fill(into, element("p", { class: "quiet" }, options.empty || "None."));
    return;
  }
  const folded = options.fold && !options.fold.open && ordered.length > options.fold.rows + 3;
  const shown = folded ? ordered.filter((row, i) => i < options.fold.rows || isLast(row) || row === state.process) : ordered;
  fill(
    into,
    element(
      "table",
      null,
      options.caption ? element("caption", null, options.caption) : null,
      element("thead", null, element("tr", null, ...columns.map((column, i) => headCell(column, i, sort, resort)))),
      element("tbody", null, ...shown.map((row) => bodyRow(columns, row, options)), options.last || null)
    ),
    folded ? unfoldButton(ordered.length, () => {
      options.fold.open = true;
      table(into, columns, rows, options);
    }) : null
  );
}

function unfoldButton(rows, unfold) {
  const button = element("button", { type: "button", class: "button unfold" }, `Show all ${count(rows)} rows`);
  button.addEventListener("click", unfold);
  return button;
}

/* The percentage of the whole, and a bar as long as it is beside the most there is. */
function share(part, whole, most = whole) {
  const bar = element("i");
  bar.style.width = `${most ? (100 * part) / most : 0}%`;
  return element("span", { class: "share" }, percent(part, whole), element("span", { class: "meter", "aria-hidden": "true" }, bar));
}

const nameText = (text) => element("bdi", { class: "label", title: text }, text);

function pickButton(process) {
  const button = element(
    "button",
    { type: "button", class: "pick", "aria-pressed": String(state.process === process) },
    swatchOf(process),
    nameText(process.label)
  );
  button.addEventListener("click", () => choose({ process: state.process === process ? null : process }));
  return button;
}

/* ---- processes --------------------------------------------------------------- */

const shareOf = (field) => ({
  text: (process) => percent(process[field], process.samples),
  value: (process) => (process.samples ? process[field] / process.samples : 0),
});
const cyclesOf = (field) => ({ text: (process) => cycles(process[field]), value: (process) => process[field] || 0 });

const mostSamples = Math.max(0, ...present.map((process) => process.samples));
const averageOf = (field) => ({ text: (process) => average(process[field]), value: (process) => process[field] || 0 });

const processColumns = [
  { head: "Process", name: true, text: pickButton, value: (process) => process.label },
  { head: "PID", text: (process) => (process.kind === "process" ? String(process.pid) : "–"), value: (process) => process.pid ?? -1 },
  { head: "Samples", text: (process) => count(process.samples), value: (process) => process.samples },
  { head: "Share", text: (process) => share(process.samples, data.samples, mostSamples), value: (process) => process.samples },
  { head: "Latency avg", title: "total latency in cycles", ...averageOf("latency_avg") },
  { head: "p50", title: "median of the total latency in cycles", ...cyclesOf("latency_p50") },
  { head: "p99", title: "99th percentile of the total latency in cycles", ...cyclesOf("latency_p99") },
  { head: "L1D miss", title: "samples that missed the level 1 data cache", ...shareOf("l1d_miss") },
  { head: "LLC miss", title: "samples that missed the last-level cache", ...shareOf("llc_miss") },
  { head: "TLB walk", title: "samples that walked translation tables", ...shareOf("tlb_walk") },
  { head: "Remote", title: "samples that went to another socket", ...shareOf("remote") },
  { head: "Mispredicted", title: "samples of mispredicted branches", ...shareOf("mispred") },
];
const processSort = { column: 2, down: true };
const processFold = { rows: 12, open: false };

function drawProcessTable() {
  const others = processes.find((process) => process.kind === "others");
  byId("process-explain").textContent =
    "Latencies in cycles, misses as shares of the process's own samples. A name picks the process everywhere on the page; a heading sorts." +
    (others.samples ? ` The ${count(others.processes)} processes with fewest samples share one row.` : "");
  table(byId("process-table"), processColumns, present, {
    sort: processSort,
    fold: processFold,
    isLast: (process) => process.kind === "others" || process.kind === "nobody",
    rowClass: (process) => [process === state.process ? "chosen" : "", process.kind === "others" || process.kind === "nobody" ? "rest" : ""].join(" ").trim() || null,
  });
}

function drawTimeTable() {
  const columns = [
    { head: "Process", name: true, text: (process) => nameText(process.label) },
    ...lanes.map((lane, i) => ({ head: `CPU ${lane.label}`, text: (process) => count(process.laneSamples[i]) })),
  ];
  const rows = state.process ? [state.process] : present;
  table(byId("time-table"), columns, rows, { caption: "Samples with a time." });
}

function drawLatencyTable() {
  const field = state.latency;
  const which = data.latencies.indexOf(field);
  const rows = [...(state.process ? [state.process] : present), { label: "all samples", ...data.total }];
  table(byId("latency-table"), [
    { head: "Process", name: true, text: (row) => nameText(row.label) },
    { head: "Samples with it", text: (row) => count(latencySum(row.bars[which])) },
    { head: "Average", text: (row) => average(row[`${field}_avg`]) },
    { head: "Median", text: (row) => cycles(row[`${field}_p50`]) },
    { head: "99%", text: (row) => cycles(row[`${field}_p99`]) },
    { head: "Largest", text: (row) => cycles(row[`${field}_max`]) },
  ], rows, { caption: `Cycles of ${latencyNames[field]}.` });
}

function drawLevelTable() {
  const rows = [null, ...(state.process ? [state.process] : present)];
  const used = levelOrder.map((_, i) => i).filter((i) => rows.some((row) => levelsOf(row)[i]));
  table(byId("level-table"), [
    { head: "Process", name: true, text: (row) => nameText(row ? row.label : "all processes") },
    ...used.map((i) => ({ head: levelName(levelOrder[i]), text: (row) => count(levelsOf(row)[i]) })),
  ], rows, { caption: "Loads and stores." });
}

/* ---- what is counted per process ------------------------------------------------ */

/* Columns of a row in the data. */
const LABEL = 0, SAMPLES = 1, AVERAGE = 2, STORES = 3, MISSES = 4, SHARED = 5, SLOT = 6;

const chosenRows = (name) => (state.process ? tables[name].processes[state.process.slot] : tables[name].all);

function restRow(part, columns, word) {
  if (!part.more_rows) return null;
  return element(
    "tr",
    { class: "rest" },
    element("th", { scope: "row", class: "name" }, `${count(part.more_rows)} more ${word}`),
    ...columns.slice(1).map((column) =>
      element("td", null, column.counts ? count(part.more_samples) : column.shares ? percent(part.more_samples, part.samples) : "")
    )
  );
}

function labelled(row, missing) {
  return row[LABEL] === null ? missing : visible(row[LABEL]);
}

function baseColumns(head, missing, part, address) {
  return [
    { head, name: true, text: (row) => {
      const text = nameText(labelled(row, missing));
      if (address) text.classList.add("mono");
      return text;
    } },
    { head: "Samples", counts: true, text: (row) => count(row[SAMPLES]) },
    { head: "Share", shares: true, text: (row) => share(row[SAMPLES], part.samples, part.rows[0][SAMPLES]) },
    { head: "Latency avg", title: "total latency in cycles", text: (row) => average(row[AVERAGE]) },
  ];
}

const folds = Object.fromEntries(["code", "line", "op", "thread", "source"].map((name) => [name, { rows: 15, open: false }]));

function drawCounted(name, head, missing, word, extra = [], address = false) {
  const part = chosenRows(name);
  const columns = [...baseColumns(head, missing, part, address), ...extra];
  table(byId(`${name}-table`), columns, part.rows, {
    last: restRow(part, columns, word),
    fold: folds[name],
    empty: tables[name].too_many ? "There are too many different ones to count; pick fewer samples with --pid, --time or --op." : "None here.",
  });
}

const ownerColumn = {
  head: "Process", name: true, plain: true,
  text: (row) => pickButton(processes[row[SLOT]]),
};
const missColumn = { head: "L1D miss", text: (row) => percent(row[MISSES], row[SAMPLES]) };
const storeColumn = { head: "Stores", text: (row) => percent(row[STORES], row[SAMPLES]) };
const sharedColumn = {
  head: "Remote or modified elsewhere",
  title: "samples that went to another socket or found the line modified in another cache",
  text: (row) => percent(row[SHARED], row[SAMPLES]),
};

function unitText(bytesOf, one, many) {
  return bytesOf === one.bytes ? one.text : `${many} of ${bytes(bytesOf)} (there are too many single ones to count)`;
}

function drawCounts() {
  const owner = state.process ? [] : [ownerColumn];
  byId("code-explain").textContent =
    `Where the sampled instructions stand, by ${unitText(tables.code.unit_bytes, { bytes: 4, text: "address" }, "blocks")}. ` +
    "Time at an address is the number of its samples, cost its latency.";
  byId("line-explain").textContent =
    `Which data the loads and stores went to, by ${unitText(tables.line.unit_bytes, { bytes: 64, text: "cache line (64 bytes, virtual address)" }, "blocks")}. ` +
    "Many stores and remote accesses on one line are a sign of sharing between threads.";
  drawCounted("code", "Address", "no address", "addresses", [missColumn], true);
  drawCounted("line", "Data address", "no address", "lines", [storeColumn, missColumn, sharedColumn, ...owner], true);
  drawCounted("thread", "Thread", "not attributed", "threads", owner);
  drawCounted("op", "Operation", "not said", "operations");
  drawCounted("el", "Exception level", "not said", "levels");
  drawCounted("evidence", "Evidence", "none", "kinds");
  drawCounted("source", "Source", "not said", "sources", [sharedColumn]);
}

/* ---- the whole picture ------------------------------------------------------------ */

const lossColumns = [
  ["truncated", "Truncated buffers"], ["partial", "Partial buffers"], ["collisions", "Collisions"],
  ["gaps", "Gaps"], ["gap_bytes", "Bytes missing"], ["lost_events", "Side-band events lost"],
];

function facts(into, rows) {
  fill(into, element("table", null, element("tbody", null, ...rows.map(([what, value]) =>
    element("tr", null, element("th", { scope: "row", class: "name" }, what), element("td", null, value))))));
}

function drawWhole() {
  const drops = Object.entries(accounting.drops).map(([why, n]) => `${count(n.records)} ${why}`);
  facts(byId("record-table"), [
    ["Records decoded", count(accounting.records)],
    ["Records dropped", count(accounting.dropped) + (drops.length ? ` (${drops.join(", ")})` : "")],
    ["Bytes of dropped records", count(accounting.dropped_bytes)],
    ["Samples filtered out", count(accounting.filtered)],
    ["Samples on this page", count(data.samples)],
    ["Thread known, process not", count(accounting.unresolved)],
    ["Guest code, or perhaps a guest's", count(accounting.guest_samples)],
  ]);
  byId("loss-explain").textContent = accounting.loss.length
    ? "Samples are missing here: the hardware or perf said so. Percentages above are of what is left."
    : "Nothing in the recording reports loss.";
  const whose = (row) => (row.cpu >= 0 ? `CPU ${row.cpu}` : row.tid >= 0 ? `thread ${row.tid}` : "buffer");
  byId("loss-table").hidden = !accounting.loss.length;
  table(byId("loss-table"), [
    { head: "Where", name: true, text: whose },
    ...lossColumns.filter(([field]) => accounting.loss.some((row) => row[field]))
      .map(([field, head]) => ({ head, text: (row) => count(row[field]) })),
  ], accounting.loss);
}
