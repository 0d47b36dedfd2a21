// The page's words for what the guard reports, and small functions that build elements.

export const CATEGORIES = {
  verified: { word: "verified", sign: "✓" },
  contradicted: { word: "contradicted", sign: "✕" },
  lacking_evidence: { word: "lacks evidence", sign: "?" },
  out_of_scope: { word: "out of scope", sign: "○" },
  abstention: { word: "abstention", sign: "–" },
  unresolved: { word: "unresolved", sign: "!" },
  checking: { word: "being checked", sign: "…" },
};

export const REASONS = {
  deadline: "not decided before the deadline",
  language: "not in English",
  overload: "too much was waiting",
  verifier_error: "the verifier failed",
  stage_error: "a stage failed",
};

export const IMPORTANCE = { vital: "vital", okay: "okay", less_important: "less important" };

// Worst first: a stretch of text is marked by its worst claim.
const ORDER = ["contradicted", "unresolved", "lacking_evidence", "abstention", "out_of_scope", "verified"];

export function worst(categories) {
  return ORDER.find((category) => categories.includes(category)) ?? "none";
}

export function seconds(value) {
  return value < 0.0995 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(2)} s`;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The guard counts code points, JavaScript counts UTF-16 units: cut by code points.
export class Text {
  constructor(text = "") {
    this.points = Array.from(text);
  }

  add(text) {
    for (const point of text) this.points.push(point);
  }

  slice(start, end) {
    return this.points.slice(start, end).join("");
  }

  get length() {
    return this.points.length;
  }
}

export function make(tag, { text, title, ...names } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(names)) element.setAttribute(name === "cls" ? "class" : name, value);
  if (text !== undefined) element.textContent = text;
  if (title !== undefined) element.title = title;
  element.append(...children);
  return element;
}
