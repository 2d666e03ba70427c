/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers and elements. Text goes in as text, whatever it is: names are a stranger's. */

const byId = (id) => document.getElementById(id);

/* element("td", { class: "name" }, "text", child ...) */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  for (const child of children)
    if (child !== null && child !== undefined) made.append(child);
  return made;
}

function fill(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

const grouped = new Intl.NumberFormat("en");
const count = (n) => grouped.format(n);
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || one + "s"}`;

function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  if (!part || part === whole) return `${share}%`;
  if (share < 0.01) return "<0.01%";
  if (share > 99.99) return ">99.99%";
  return `${share.toFixed(share < 10 ? 2 : 1)}%`;
}

const cycles = (n) => (n === null || n === undefined ? "–" : grouped.format(n));
const oneDigit = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const average = (n) => (n === null || n === undefined ? "–" : oneDigit.format(n));

function bytes(n) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${unit ? n.toFixed(n < 10 ? 1 : 0) : count(n)} ${units[unit]}`;
}

/* A length of time with three digits that count. */
function duration(ns) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [size, unit] = units.find(([s]) => ns >= s) || units[3];
  const value = ns / size;
  if (value === Math.round(value)) return `${value} ${unit}`;
  return `${value.toFixed(value >= 100 || size === 1 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}

/* Control characters and those that turn the direction of writing are shown, not obeyed. */
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const visible = (name) =>
  String(name).replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/* "a", "a and b", "a, b and c" */
function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
