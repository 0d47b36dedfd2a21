// The page's main module: sends requests, reads the stream of events, and shows each event in its panel.

import { Claims, Ground, Reference } from "./panels.js";
import { readEvents } from "./sse.js";
import { TurnView } from "./turn_view.js";
import { make } from "./words.js";

const byId = (id) => document.getElementById(id);
const THEMES = { auto: "as the system has them", light: "light", dark: "dark" };

const reference = new Reference();
const ground = new Ground();
const claims = new Claims((verdict) => point(verdict));
const state = { conversation: null, history: [], running: null, scenes: [], played: new Set(), current: null };

function point(verdict) {
  reference.draw(claims.evidence, verdict);
  ground.point(verdict.evidence);
}

// -- talking to the server

function headers() {
  const token = byId("token").value.trim();
  return { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
}

async function call(path, options = {}) {
  const response = await fetch(path, { headers: headers(), ...options });
  if (response.ok) return response;
  const told = await response.json().catch(() => null);
  throw new Error(told?.error?.message ?? `the server answered ${response.status}`);
}

function complain(message) {
  byId("notice").textContent = message;
  byId("notice").hidden = !message;
}

// -- one turn

async function run(path, body) {
  complain("");
  const stop = new AbortController();
  state.running = stop;
  claims.clear();
  const view = new TurnView(body.query, { announce, select: (id, of) => of === state.current && claims.select(id) });
  state.current = view;
  byId("empty").hidden = true;
  byId("conversation").append(view.element);
  view.element.scrollIntoView({ block: "nearest" });
  showControls();
  try {
    const messages = [...state.history, { role: "user", content: body.query ?? "" }];
    const asked = { ...body, messages, conversation: state.conversation, speed: speed(), policy: byId("policy").value };
    const response = await call(path, { method: "POST", body: JSON.stringify(asked), signal: stop.signal });
    for await (const event of readEvents(response)) take(event, view);
    if (!view.element.classList.contains("ended")) view.close("the stream broke off");
    state.history = [...messages, { role: "assistant", content: view.shown || "…" }];
    return true;
  } catch (error) {
    // On a phone the notice is out of sight: the turn says the same.
    view.close(stop.signal.aborted ? "stopped by you" : `ended by an error: ${error.message}`);
    if (!stop.signal.aborted) complain(error.message);
    return false;
  } finally {
    state.running = null;
    showControls();
  }
}

function take(event, view) {
  // An error that ends the stream has no type. An unresolved claim has a type, and its error is only a name.
  if (!event.type && event.error) throw new Error(event.error.message);
  if (event.type === "references") reference.set(event.references);
  view.take(event);
  claims.take(event);
  if (event.type === "common_ground") ground.take(event);
  if (event.type === "claim.settled") point(event.verdict);
  if (event.type === "references") reference.draw([]);
}

function announce(text) {
  byId("live").append(make("p", { text }));
  while (byId("live").childElementCount > 50) byId("live").firstElementChild.remove();
}

function begin() {
  state.conversation = crypto.randomUUID?.() ?? `page-${Math.random().toString(36).slice(2)}${Date.now()}`;
  state.history = [];
  state.played.clear();
  state.current = null;
  [...document.querySelectorAll(".turn")].forEach((turn) => turn.remove());
  byId("empty").hidden = false;
  claims.clear();
  reference.clear();
  ground.clear();
}

// -- the three ways to start a turn

// A scene that continues a conversation is played after the earlier scenes of that conversation.
async function play(scene) {
  if (state.running) return;
  const talk = state.scenes.filter(({ conversation }) => conversation === scene.conversation);
  const before = talk.slice(0, talk.indexOf(scene)).filter((one) => !state.played.has(one));
  if (!talk.some((one) => state.played.has(one)) || state.played.has(scene)) begin();
  const queue = state.played.size ? [...before, scene] : talk.slice(0, talk.indexOf(scene) + 1);
  for (const one of queue) {
    state.played.add(one);
    if (!(await run("/page/api/check", { query: one.query, answer: one.answer, vista: { references: one.references } }))) return;
  }
}

function showScenes() {
  const cards = state.scenes.map((scene) => {
    const [title, ...rest] = scene.title.split(", ");
    const altered = scene.altered ? `altered: ${scene.altered.was} → ${scene.altered.now}` : "as the model wrote it";
    const card = make("button", { type: "button", cls: "scene" },
      make("strong", { text: title }), make("span", { cls: "soft small", text: [...rest, altered].join("; ") }));
    card.addEventListener("click", () => play(scene));
    return make("li", {}, card);
  });
  byId("scenes").replaceChildren(...cards);
}

byId("panel-paste").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.running) return;
  const text = byId("paste-reference").value;
  const references = text.trim() ? [{ name: "pasted reference", text }] : [];
  if (state.played.size || !state.conversation) begin();
  reference.clear();
  run("/page/api/check", { query: byId("paste-query").value, answer: byId("paste-answer").value, vista: { references } });
});

byId("panel-ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.running || !state.upstream) return;
  if (state.played.size || !state.conversation) begin();
  run("/page/api/ask", { query: byId("ask-query").value });
});

byId("ask-query").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    byId("panel-ask").requestSubmit();
  }
});

byId("token-field").addEventListener("submit", (event) => event.preventDefault());
byId("stop").addEventListener("click", () => state.running?.abort());
byId("fresh").addEventListener("click", () => {
  begin();
  showControls();
});

// -- controls

function speed() {
  return document.querySelector("input[name=speed]:checked").value;
}

function showControls() {
  const busy = Boolean(state.running);
  const stopped = document.activeElement === byId("stop");
  byId("stop").hidden = !busy;
  byId("fresh").hidden = busy || !document.querySelector(".turn");
  // A hidden or disabled element would lose the keyboard focus.
  if (stopped && !busy) byId("fresh").focus();
  for (const button of document.querySelectorAll(".scene, .compose .main")) {
    const deaf = busy || (!state.upstream && byId("panel-ask").contains(button));
    button.setAttribute("aria-disabled", String(deaf));
  }
}

const tabs = [...document.querySelectorAll("[role=tab]")];

function open(tab, { focus = true } = {}) {
  for (const other of tabs) {
    const on = other === tab;
    other.setAttribute("aria-selected", String(on));
    other.tabIndex = on ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = !on;
  }
  if (focus) tab.focus();
}

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) open(tabs[(at + step + tabs.length) % tabs.length]);
  });
}

function colours(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme[0].toUpperCase() + theme.slice(1);
  byId("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
}

byId("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
  localStorage.setItem("theme", next);
  colours(next);
});

async function start() {
  colours(localStorage.getItem("theme") in THEMES ? localStorage.getItem("theme") : "auto");
  try {
    const about = await (await call("/page/about")).json();
    byId("token-field").hidden = !about.token;
    state.upstream = about.upstream;
    state.scenes = about.scenes;
    byId("ask-note").textContent = about.upstream
      ? "The question goes to the model behind this proxy; its answer is checked against the folder of references."
      : "No model is behind this proxy: start it with --upstream to ask questions.";
    showScenes();
    showControls();
    if (!state.scenes.length) open(byId("tab-paste"), { focus: false });
  } catch (error) {
    complain(error.message);
  }
}

start();
