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
      element("tbody", null, ...shown.map((row) => bodyRow(columns, row, options)), ...(options.last || []))
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
const LABEL = 0, SAMPLES = 1, AVERAGE = 2, STORES = 3, MISSES = 4, SHARED = 5, SLOT = 6, FILE = 6;

const chosenRows = (name) => (state.process ? tables[name].processes[state.process.slot] : tables[name].all);

/* What the rows leave out: smaller ones, and samples the table says nothing of. */
function restRow(columns, words, samples, whole) {
  if (!samples) return null;
  return element(
    "tr",
    { class: "rest" },
    element("th", { scope: "row", class: "name" }, words),
    ...columns.slice(1).map((column) =>
      element("td", null, column.counts ? count(samples) : column.shares ? percent(samples, whole) : "")
    )
  );
}

function labelled(row, missing) {
  return row[LABEL] === null ? missing : visible(row[LABEL]);
}

function baseColumns(options, part, whole) {
  return [
    { head: options.head, name: true, text: (row) => {
      const text = nameText(labelled(row, options.missing));
      if (options.mono) text.classList.add("mono");
      return text;
    } },
    ...(options.second || []),
    { head: "Samples", counts: true, text: (row) => count(row[SAMPLES]) },
    { head: "Share", shares: true, text: (row) => share(row[SAMPLES], whole, part.rows[0][SAMPLES]) },
    { head: "Latency avg", title: "total latency in cycles", text: (row) => average(row[AVERAGE]) },
    ...(options.extra || []),
  ];
}

const folds = Object.fromEntries(Object.keys(tables).map((name) => [name, { rows: 15, open: false }]));
const tooMany = "There are too many different ones to count; pick fewer samples with --pid, --time or --op.";

/*
 * head, missing: of the label.  words: what its rows are.  within: the table
 * whose samples it should hold; apart: what those are that it does not.
 */
function drawCounted(name, options) {
  const part = chosenRows(name);
  const whole = options.within ? chosenRows(options.within).samples : part.samples;
  const columns = baseColumns(options, part, whole);
  table(byId(`${name}-table`), columns, part.rows, {
    last: [
      restRow(columns, `${count(part.more_rows)} more ${options.words}`, part.more_samples, whole),
      restRow(columns, options.apart, whole - part.samples, whole),
    ],
    fold: folds[name],
    empty: tables[name].too_many ? tooMany : options.empty || "None here.",
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

const fileColumn = { head: "In", name: true, plain: true, text: (row) => nameText(row[FILE] === null ? "–" : visible(row[FILE])) };

function drawCode() {
  const symbols = Boolean(tables.function && tables.function.all.samples);
  byId("code-explain").textContent =
    "Where the sampled instructions stand: time spent there shows as samples, what it cost as latency." +
    (symbols ? "" : " No function names: the files the code came from were not found (--symfs and --vmlinux say where they are).");
  byId("address-explain").textContent =
    `By ${unitText(tables.code.unit_bytes, { bytes: 4, text: "address of the instruction" }, "blocks")}.`;
  byId("function-table").hidden = !symbols;
  byId("object-details").hidden = !tables.object;
  drawCounted("code", { head: "Address", missing: "no address", words: "addresses", mono: true, extra: [missColumn] });
  if (tables.object) drawCounted("object", { head: "File", missing: "no address", words: "files", extra: [missColumn] });
  if (!symbols) {
    byId("code-details").open = true;
    return;
  }
  drawCounted("function", {
    head: "Function", missing: "no name", words: "functions", second: [fileColumn], extra: [missColumn],
    within: "code", apart: "in no known function", empty: "None of its code has a symbol.",
  });
}

function drawData() {
  const owner = state.process ? [] : [ownerColumn];
  const symbols = Boolean(tables.data && tables.data.all.samples);
  byId("line-explain").textContent =
    `Which data the loads and stores went to, by ${unitText(tables.line.unit_bytes, { bytes: 64, text: "cache line (64 bytes, virtual address)" }, "blocks")}. ` +
    "Many stores and remote accesses on one line are a sign of sharing between threads.";
  drawCounted("line", {
    head: "Data address", missing: "no address", words: "lines", mono: true,
    extra: [storeColumn, missColumn, sharedColumn, ...owner],
  });
  byId("data-details").hidden = !symbols;
  if (symbols)
    drawCounted("data", {
      head: "Object", missing: "no name", words: "objects", second: [fileColumn],
      extra: [storeColumn, missColumn, sharedColumn], within: "line", apart: "without a symbol: heap, stack, mapped memory",
    });
}

function drawCounts() {
  const owner = state.process ? [] : [ownerColumn];
  drawCode();
  drawData();
  drawCounted("thread", { head: "Thread", missing: "not attributed", words: "threads", extra: owner });
  drawCounted("op", { head: "Operation", missing: "not said", words: "operations" });
  drawCounted("el", { head: "Exception level", missing: "not said", words: "levels" });
  drawCounted("evidence", { head: "Evidence", missing: "none", words: "kinds" });
  drawCounted("source", { head: "Source", missing: "not said", words: "sources", extra: [sharedColumn] });
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
