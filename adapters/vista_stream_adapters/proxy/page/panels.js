// The side panels of the page: claims with evidence, reference with marked passages, common ground.

import { CATEGORIES, IMPORTANCE, REASONS, Text, make, seconds, worst } from "./words.js";

const byId = (id) => document.getElementById(id);

function put(id, text) {
  byId(id).textContent = text;
}

export class Claims {
  constructor(onSelect) {
    this.list = byId("claims");
    this.onSelect = onSelect;
    this.clear();
  }

  clear() {
    this.list.replaceChildren();
    this.cards = new Map();
    this.chosen = null;
    put("claims-count", "");
    byId("claims-empty").hidden = false;
  }

  take(event) {
    if (event.type === "claim.found") this.show(event.claim, { category: "checking" });
    if (event.type === "claim.settled") this.show(event.verdict.claim, event.verdict);
    if (event.type === "claim.unresolved") this.show(event.claim, { category: "unresolved", why: event.reason });
  }

  show(claim, verdict) {
    byId("claims-empty").hidden = true;
    const card = this.card(claim, verdict);
    const known = this.cards.get(claim.id);
    if (known) {
      const focused = known.element.contains(document.activeElement);
      known.element.replaceWith(card);
      if (focused) card.querySelector("button").focus();
    } else {
      // Claims are listed in the order of the text, but a later one may settle first.
      const next = [...this.cards.keys()].filter((id) => id > claim.id).sort((a, b) => a - b)[0];
      this.list.insertBefore(card, next === undefined ? null : this.cards.get(next).element);
    }
    this.cards.set(claim.id, { element: card, claim, verdict });
    put("claims-count", String(this.cards.size));
    if (this.chosen === claim.id) this.mark(claim.id);
    // A contradicted claim stays in view; otherwise the newest claim is scrolled into view.
    const shown = this.list.querySelector("[data-category=contradicted]") ?? card;
    this.list.scrollTo({ top: shown.offsetTop });
  }

  card(claim, verdict) {
    const { word, sign } = CATEGORIES[verdict.category];
    const rank = IMPORTANCE[claim.importance];
    const head = make("button", { type: "button", cls: "claim-head", "aria-pressed": "false" },
      make("span", { cls: "badges" },
        make("span", { cls: "badge" }, make("span", { "aria-hidden": "true", text: `${sign} ` }), word),
        make("span", { cls: `rank rank-${claim.importance}`, text: rank })),
      make("span", { cls: "claim-text", text: claim.text }));
    head.addEventListener("click", () => this.select(claim.id));
    const card = make("li", { cls: "claim", "data-category": verdict.category }, head);
    const { evidence, opposing } = verdict;
    if (evidence) {
      const source = evidence.origin === "common_ground" ? `common ground, ${evidence.document}` : evidence.document;
      card.append(make("p", { cls: "evidence" }, make("q", { text: evidence.text }), " ", make("cite", { text: source })));
    }
    if (opposing) {
      card.append(make("p", { cls: "evidence" }, "but ", make("q", { text: opposing.text }), " ", make("cite", { text: opposing.document })));
    }
    card.append(make("p", { cls: "soft small", text: this.foot(verdict) }));
    return card;
  }

  foot({ scores, elapsed, why, category, tier }) {
    if (category === "checking") return "waiting for its verdict";
    if (why) return `no verdict: ${REASONS[why] ?? why}`;
    const parts = [seconds(elapsed)];
    if (scores) parts.push(`entailment ${scores.entailment.toFixed(2)}`, `contradiction ${scores.contradiction.toFixed(2)}`);
    if (tier === "deterministic") parts.push("by rule");
    return parts.join(" · ");
  }

  select(id) {
    this.mark(id);
    this.onSelect(this.cards.get(id).verdict);
  }

  mark(id) {
    this.chosen = id;
    for (const [other, { element }] of this.cards) {
      element.querySelector("button").setAttribute("aria-pressed", String(other === id));
    }
  }

  get evidence() {
    return [...this.cards.values()]
      .filter(({ verdict }) => verdict.evidence)
      .map(({ verdict }) => ({ ...verdict.evidence, category: verdict.category }));
  }
}

export class Reference {
  constructor() {
    this.box = byId("reference");
    this.texts = new Map();
    this.shown = null;
  }

  clear() {
    this.texts.clear();
    this.shown = null;
    this.box.replaceChildren();
    byId("reference-empty").hidden = false;
  }

  set(references) {
    for (const { name, text } of references) this.texts.set(name, new Text(text));
    this.shown = references[0]?.name ?? this.shown;
  }

  // Draws one document and marks every sentence that decided a claim; that of one verdict is highlighted.
  draw(evidence, { evidence: chosen, category } = {}) {
    if (chosen && this.texts.has(chosen.document)) this.shown = chosen.document;
    const text = this.texts.get(this.shown);
    byId("reference-empty").hidden = Boolean(text);
    if (!text) return;
    const own = evidence.filter(({ document, origin }) => document === this.shown && origin === "reference");
    const cuts = new Set([0, text.length, ...own.flatMap(({ marked }) => [marked.start, marked.end])]);
    const edges = [...cuts].sort((a, b) => a - b);
    const pieces = edges.slice(1).map((end, at) => this.piece(text, edges[at], end, own, chosen && { ...chosen, category }));
    this.box.replaceChildren(make("h3", { text: this.shown }), make("div", { cls: "document" }, ...pieces));
    const target = this.box.querySelector("mark.chosen");
    if (target) this.box.scrollTo({ top: target.offsetTop - this.box.clientHeight / 3, behavior: calm() ? "auto" : "smooth" });
  }

  piece(text, start, end, own, chosen) {
    const here = own.filter(({ marked }) => marked.start <= start && marked.end >= end);
    const content = text.slice(start, end);
    if (!here.length) return document.createTextNode(content);
    const on = chosen && chosen.document === this.shown && chosen.marked.start <= start && chosen.marked.end >= end;
    const category = on ? chosen.category : worst(here.map((one) => one.category));
    return make("mark", { "data-category": category, cls: on ? "chosen" : "", text: content });
  }
}

export class Ground {
  constructor() {
    this.list = byId("ground");
    this.clear();
  }

  clear() {
    this.count = 0;
    this.list.replaceChildren();
    put("ground-count", "");
    byId("ground-empty").hidden = false;
  }

  take({ statements }) {
    for (const item of this.list.children) item.classList.remove("new");
    for (const { text, id, category } of statements.slice(this.count)) {
      this.list.append(make("li", { cls: "new", "data-category": category },
        make("span", { text }), make("span", { cls: "soft small", text: ` ${id}` })));
    }
    this.count = statements.length;
    put("ground-count", this.count ? String(this.count) : "");
    byId("ground-empty").hidden = this.count > 0;
  }

  // The statement that decided a claim, where it was said earlier in the conversation.
  point(evidence) {
    for (const item of this.list.children) {
      const said = item.firstElementChild.textContent;
      item.classList.toggle("chosen", evidence?.origin === "common_ground" && evidence.text.includes(said));
    }
    this.list.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
  }
}

export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
