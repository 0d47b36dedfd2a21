// One turn on the page: what is held back, released and replaced, and how long it took.

import { Text, make, median, seconds, worst } from "./words.js";

const BAR_FULL = 0.5; // seconds that fill a bar, until a sentence takes longer

export class TurnView {
  constructor(query, { announce, select }) {
    this.element = document.getElementById("turn").content.firstElementChild.cloneNode(true);
    this.find(".asked").textContent = query || "(no question)";
    this.announce = announce;
    this.select = select;
    this.text = new Text();
    this.claims = new Map();
    this.segments = [];
    this.decided = 0;
    this.holdBacks = [];
    this.arrivals = [];
    this.held = make("span", { cls: "held", "data-state": "held", "aria-hidden": "true" });
    this.find(".answer").append(this.held, make("span", { cls: "caret", "aria-hidden": "true" }));
    this.element.setAttribute("aria-busy", "true");
    this.timer = setInterval(() => this.showHeld(), 100);
  }

  find(selector) {
    return this.element.querySelector(selector);
  }

  // The part of the answer that the user has seen.
  get shown() {
    return this.segments.map(({ element }) => element.textContent).join("");
  }

  take(event) {
    const step = {
      "delta": () => this.receive(event.text),
      "claim.found": () => this.claim(event.claim, "checking"),
      "claim.settled": () => this.claim(event.verdict.claim, event.verdict.category),
      "claim.unresolved": () => this.claim(event.claim, "unresolved"),
      "text.released": () => this.decide("released", event, event.text + event.mark),
      "text.replaced": () => this.decide("replaced", event, event.replacement),
      "text.withheld": () => this.decide("withheld", event, ""),
      "text.retracted": () => this.retract(event),
      "turn.ended": () => this.end(event),
    }[event.type];
    if (step) step();
  }

  receive(text) {
    this.text.add(text);
    this.arrivals.push({ length: this.text.length, at: performance.now() });
    this.held.textContent = this.text.slice(this.decided);
  }

  claim({ id, span }, category) {
    this.claims.set(id, { span, category });
    for (const segment of this.segments) this.tint(segment);
  }

  decide(state, event, shown) {
    this.decided = Math.max(this.decided, event.span.end);
    this.held.textContent = this.text.slice(this.decided);
    const element = make("span", { cls: `segment ${state}`, "data-state": state, text: shown });
    if (state === "withheld") element.textContent = " […] ";
    const segment = { element, span: event.span, state };
    this.segments.push(segment);
    this.held.before(element);
    this.tint(segment);
    if (state !== "withheld" && shown.trim()) this.announce(shown);
    if (event.held_back !== undefined && event.text.trim()) this.measure(event.held_back, state);
    this.showHeld();
  }

  retract(event) {
    const touched = this.segments.filter(({ span }) => span.start < event.span.end && span.end > event.span.start);
    touched.forEach(({ element }) => element.remove());
    this.segments = this.segments.filter((segment) => !touched.includes(segment));
    this.decide("replaced", event, event.replacement || " […] ");
  }

  // A sentence has the mark of its worst claim, and links to its claims.
  tint({ element, span, state }) {
    const own = [...this.claims].filter(([, claim]) => claim.span.start >= span.start && claim.span.start < span.end);
    element.dataset.category = worst(own.map(([, claim]) => claim.category));
    if (!own.length || element.dataset.linked) return;
    element.dataset.linked = "true";
    element.addEventListener("click", () => this.select(own[0][0], this));
    if (state !== "released") element.title = "Replaced by the guard: the claims tell why";
  }

  measure(heldBack, state) {
    this.holdBacks.push(heldBack);
    const bar = make("i", { "data-state": state, title: seconds(heldBack) });
    const bars = this.find(".bars");
    bars.append(bar);
    const full = Math.max(BAR_FULL, ...this.holdBacks);
    [...bars.children].forEach((one, at) => one.style.setProperty("--h", `${(this.holdBacks[at] / full) * 100}%`));
    bars.setAttribute("aria-label", `${this.holdBacks.length} sentences: ${this.holdBacks.map(seconds).join(", ")}`);
    this.find(".m-last").textContent = seconds(heldBack);
    this.find(".m-median").textContent = seconds(median(this.holdBacks));
  }

  showHeld() {
    const count = this.text.length - this.decided;
    const oldest = this.arrivals.find(({ length }) => length > this.decided);
    const age = oldest ? ` · ${seconds((performance.now() - oldest.at) / 1000)}` : "";
    this.find(".m-held").textContent = count > 0 ? `${count} characters${age}` : "nothing";
  }

  // Contradicted claims in text that was released all the same.
  get letPass() {
    const released = this.segments.filter(({ state }) => state === "released");
    return [...this.claims.values()].filter(({ span, category }) => category === "contradicted"
      && released.some((segment) => segment.span.start <= span.start && span.start < segment.span.end)).length;
  }

  end({ report }) {
    const parts = [`${report.claims} ${report.claims === 1 ? "claim" : "claims"}`, `${report.released} of ${report.received} characters released`];
    if (report.withheld) parts.push(`${report.withheld} kept back`);
    const passed = this.letPass;
    if (passed) parts.push(`${passed} contradicted, released by the policy`);
    if (report.unresolved) parts.push(`${report.unresolved} unresolved`);
    if (report.stopped) parts.push("stopped by the policy");
    this.close(parts.join(" · "));
  }

  // Text that was never decided is no longer shown: it was not released.
  close(outcome) {
    clearInterval(this.timer);
    this.held.textContent = "";
    this.decided = this.text.length;
    this.showHeld();
    this.element.classList.add("ended");
    this.element.removeAttribute("aria-busy");
    this.find(".outcome").textContent = outcome;
    this.find(".outcome").hidden = false;
  }
}
