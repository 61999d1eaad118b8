// src/ask/server.ts
async function askServer(verb, body, { onEvent, signal }) {
  let answer;
  try {
    answer = await fetch(`api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: signal ?? null
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Fault("engine", "milp-pips does not answer; is it still running?");
  }
  if (!answer.body || !answer.headers.get("Content-Type")?.startsWith("text/event-stream"))
    throw new Fault("usage", await messageOf(answer));
  for await (const [event, data] of eventsIn(answer.body)) {
    if (event === "result") return data;
    if (event === "fault") {
      const fault = data;
      throw new Fault(fault.kind, fault.message);
    }
    onEvent?.(event, data);
  }
  throw new Fault("engine", "the answer ended early");
}
async function messageOf(answer) {
  const text = await answer.text();
  try {
    return String(JSON.parse(text).message);
  } catch {
    return `the server answered ${answer.status}`;
  }
}
async function* eventsIn(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value.replaceAll("\r\n", "\n");
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventIn(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => void 0);
  }
}
function eventIn(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? [event, JSON.parse(data.join("\n"))] : null;
}

// src/ask/worker-client.ts
var GRACE = 1500;
var worker = null;
var state = "loading";
var begun = false;
var running = null;
var next = 0;
var onState = () => void 0;
var queue = [];
function askWorker(verb, body, listening) {
  return new Promise((resolve, reject) => {
    const waiting = { id: next++, verb, body, listening, resolve, reject };
    if (listening.signal?.aborted) return reject(aborted());
    listening.signal?.addEventListener("abort", () => drop(waiting), { once: true });
    queue.push(waiting);
    if (!worker || state === "loading") listening.onEvent?.("loading", {});
    else if (running || queue.length > 1)
      listening.onEvent?.("queued", { ahead: queue.length - 1 + (running ? 1 : 0) });
    proceed();
  });
}
function warmUp(told) {
  onState = told;
  begun = true;
  worker ??= start();
}
function start() {
  const started = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
  started.onmessage = ({ data }) => receive(data);
  started.onerror = (event) => {
    event.preventDefault();
    fail("Python could not be started in this browser");
  };
  enter("loading");
  return started;
}
function enter(now) {
  state = now;
  onState(now);
}
function stop() {
  worker?.terminate();
  worker = null;
}
function fail(message) {
  stop();
  const lost = [...running ? [running] : [], ...queue.splice(0)];
  running = null;
  for (const waiting of lost) waiting.reject(new Fault("engine", message));
  enter("failed");
}
function receive(message) {
  if (message.event === "ready") {
    enter("ready");
    proceed();
  } else if (message.event === "failed") fail(message.data.message);
  else if (message.id !== running?.id) return;
  else if (message.event === "result") settle((waiting) => waiting.resolve(message.data));
  else if (message.event === "fault") {
    const fault = message.data;
    settle((waiting) => waiting.reject(new Fault(fault.kind, fault.message)));
  } else if (!running.grace) running.listening.onEvent?.(message.event, message.data);
}
function settle(how) {
  const waiting = running;
  running = null;
  clearTimeout(waiting?.grace);
  if (waiting) how(waiting);
  proceed();
}
function proceed() {
  if (running || !queue.length || !begun) return;
  worker ??= start();
  if (state !== "ready") return;
  running = queue.shift();
  worker.postMessage({ id: running.id, verb: running.verb, body: running.body });
}
function drop(waiting) {
  const at = queue.indexOf(waiting);
  if (at >= 0) queue.splice(at, 1);
  else if (running !== waiting) return;
  else
    waiting.grace = window.setTimeout(() => {
      running = null;
      stop();
      proceed();
      worker ??= start();
    }, GRACE);
  waiting.reject(aborted());
}
function aborted() {
  return new DOMException("the request was cancelled", "AbortError");
}

// src/ask/ask.ts
var Fault = class extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
  kind;
};
var where = document.documentElement.dataset.where === "browser" ? "browser" : "local";
async function ask(verb, body, listening = {}) {
  const asked = where === "browser" ? askWorker : askServer;
  return await asked(verb, body, listening);
}
function puzzleOf(read2) {
  return { text: read2.text, name: read2.name };
}
function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
function sayFault(error) {
  return error instanceof Error ? error.message : String(error);
}

// src/model/possible.ts
function canBeEqual(laid, left, rest) {
  if (new Set(laid).size > 1) return false;
  const copies = copiesOf(rest);
  const candidates = laid.length ? [copies.get(laid[0]) ?? 0] : [...copies.values()];
  return left === 0 || Math.max(0, ...candidates) >= left;
}
function canDiffer(laid, left, rest) {
  const seen = new Set(laid);
  const fresh = [...copiesOf(rest).keys()].filter((value) => !seen.has(value)).length;
  return seen.size === laid.length && fresh >= left;
}
function copiesOf(values) {
  const copies = /* @__PURE__ */ new Map();
  for (const value of values) copies.set(value, (copies.get(value) ?? 0) + 1);
  return copies;
}
function product(values) {
  return values.reduce((all, value) => all * value, 1);
}

// src/model/rule-table.ts
var KINDS = {
  empty: {
    name: "",
    sign: "",
    words: "no rule",
    spoken: "no rule",
    hasTarget: false,
    isSum: false,
    possible: () => true
  },
  equals: {
    name: "EQ",
    sign: "=",
    words: "all equal",
    spoken: "all equal",
    hasTarget: false,
    isSum: false,
    possible: ({ laid, left, rest }) => canBeEqual(laid, left, rest)
  },
  unequal: {
    name: "NEQ",
    sign: "≠",
    words: "all different",
    spoken: "all different",
    hasTarget: false,
    isSum: false,
    possible: ({ laid, left, rest }) => canDiffer(laid, left, rest)
  },
  sum: {
    name: "SUM",
    sign: "",
    words: "sum",
    spoken: "sum",
    hasTarget: true,
    isSum: true,
    possible: ({ least, most }, target) => least <= target && most >= target
  },
  less: {
    name: "LT",
    sign: "<",
    words: "sum <",
    spoken: "sum less than",
    hasTarget: true,
    isSum: true,
    possible: ({ least }, target) => least <= target - 1
  },
  greater: {
    name: "GT",
    sign: ">",
    words: "sum >",
    spoken: "sum more than",
    hasTarget: true,
    isSum: true,
    possible: ({ most }, target) => most >= target + 1
  },
  "at most": {
    name: "LE",
    sign: "≤",
    words: "sum ≤",
    spoken: "sum at most",
    hasTarget: true,
    isSum: true,
    possible: ({ least }, target) => least <= target
  },
  "at least": {
    name: "GE",
    sign: "≥",
    words: "sum ≥",
    spoken: "sum at least",
    hasTarget: true,
    isSum: true,
    possible: ({ most }, target) => most >= target
  },
  product: {
    name: "PRODUCT",
    sign: "×",
    words: "product",
    spoken: "product",
    hasTarget: true,
    isSum: false,
    possible: ({ laid, left }, target) => left > 0 || product(laid) === target
  },
  odd: {
    name: "ODD",
    sign: "odd",
    words: "odd sum",
    spoken: "odd sum",
    hasTarget: false,
    isSum: false,
    possible: ({ left, least }) => left > 0 || least % 2 === 1
  },
  even: {
    name: "EVEN",
    sign: "even",
    words: "even sum",
    spoken: "even sum",
    hasTarget: false,
    isSum: false,
    possible: ({ left, least }) => left > 0 || least % 2 === 0
  }
};

// src/model/board.ts
var DIRECTIONS = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0]
];
var MOST_SQUARES = 1200;
function boardOf(data) {
  const squares = data.cells.map(({ cell, row, column, region }) => ({ name: cell, row, column, region }));
  return {
    rows: data.rows,
    columns: data.columns,
    squares,
    regions: data.regions,
    dominoes: data.dominoes,
    numbers: new Map(squares.map((square, i) => [square.name, i]))
  };
}
var places = /* @__PURE__ */ new WeakMap();
function squareAt(board, row, column) {
  let known = places.get(board);
  if (!known) {
    known = new Map(board.squares.map((square, i) => [`${square.row},${square.column}`, i]));
    places.set(board, known);
  }
  return known.get(`${row},${column}`) ?? null;
}
function beside(board, square, direction) {
  const from = board.squares[square];
  const [down, right] = DIRECTIONS[direction & 3];
  return from ? squareAt(board, from.row + down, from.column + right) : null;
}
function directionOf(board, [from, to]) {
  return [0, 1, 2, 3].find((direction) => beside(board, from, direction) === to) ?? 0;
}
function squaresOf(board, names) {
  return names.flatMap((name) => board.numbers.get(name) ?? []);
}
function placeOf(board, squares) {
  const [one, other] = squares.map((square) => board.squares[square]);
  if (!other) return `row ${one.row + 1}, column ${one.column + 1}`;
  if (one.row === other.row)
    return `row ${one.row + 1}, columns ${Math.min(one.column, other.column) + 1} and ${Math.max(one.column, other.column) + 1}`;
  return `rows ${Math.min(one.row, other.row) + 1} and ${Math.max(one.row, other.row) + 1}, column ${one.column + 1}`;
}

// src/model/text.ts
var MOST_LINES = 60;
var NAMES = new Map(Object.entries(KINDS).map(([kind, { name }]) => [name, kind]));
var NAME = [...NAMES.keys()].filter(Boolean).join("|");
var RULE = new RegExp(`^(\\S+) (${NAME})(?: (\\d{1,6}))?$`);
function kindOf({ kind }) {
  return KINDS[kind];
}
function signOf({ kind, value }) {
  return KINDS[kind].sign + (KINDS[kind].hasTarget ? String(value ?? "?") : "");
}
function ruleWords({ kind, value }) {
  return KINDS[kind].spoken + (KINDS[kind].hasTarget ? ` ${value}` : "");
}
function writeText(data) {
  const rows2 = Array.from({ length: data.rows }, () => Array(data.columns).fill("."));
  const label = (region) => region?.label ?? "#";
  for (const { row, column, region } of data.cells)
    rows2[row][column] = label(region === null ? void 0 : data.regions[region]);
  const narrow = data.regions.every(({ label: label2 }) => label2.length === 1);
  const rules = data.regions.filter(({ rule }) => rule.kind !== "empty");
  return [
    data.rows,
    ...rows2.map((row) => row.join(narrow ? "" : " ")),
    rules.length,
    ...rules.map(
      ({ label: label2, rule }) => `${label2} ${kindOf(rule).name}${kindOf(rule).hasTarget ? ` ${rule.value}` : ""}`
    ),
    data.dominoes.length,
    ...data.dominoes.map((pips) => pips.join(" ")),
    ""
  ].join("\n");
}
function readText(text) {
  const lines = text.split("\n");
  let at = 0;
  const number = () => /^\d{1,3}$/.test(lines[at] ?? "") ? Number(lines[at++]) : -1;
  const rows2 = number();
  if (rows2 < 1 || rows2 > MOST_LINES) return null;
  const drawn = lines.slice(at, at += rows2).map((line) => /\s/.test(line) ? line.split(" ") : [...line]);
  const columns = Math.max(...drawn.map((row) => row.length));
  if (columns > MOST_LINES) return null;
  const rules = /* @__PURE__ */ new Map();
  for (let left = number(); left > 0; left--) {
    const found = RULE.exec(lines[at++] ?? "");
    const kind = NAMES.get(found?.[2] ?? "") ?? "empty";
    if (!found || kindOf({ kind }).hasTarget === (found[3] === void 0)) return null;
    rules.set(found[1], { kind, value: found[3] === void 0 ? null : Number(found[3]) });
  }
  const dominoes = [];
  for (let left = number(); left > 0; left--) {
    const found = /^(\d\d?) (\d\d?)$/.exec(lines[at++] ?? "");
    if (!found) return null;
    dominoes.push([Number(found[1]), Number(found[2])]);
  }
  if (lines.slice(at).some((line) => line !== "")) return null;
  return assemble(rows2, columns, drawn, rules, dominoes);
}
function assemble(rows2, columns, drawn, rules, dominoes) {
  const regions = [];
  const cells = [];
  drawn.forEach((line, row) => {
    line.forEach((label, column) => {
      if (label === ".") return;
      const cell = `r${row + 1}c${column + 1}`;
      let region = null;
      if (label !== "#") {
        region = regions.findIndex((known) => known.label === label);
        if (region < 0) {
          const rule = rules.get(label) ?? { kind: "empty", value: null };
          region = regions.push({ label, cells: [], rule, text: signOf(rule) }) - 1;
        }
        regions[region]?.cells.push(cell);
      }
      cells.push({ cell, row, column, region });
    });
  });
  if (cells.length > MOST_SQUARES) return null;
  const named2 = regions.every(({ label }) => label) && [...rules.keys()].every((label) => regions.some((r) => r.label === label));
  return named2 && cells.length === 2 * dominoes.length ? { rows: rows2, columns, cells, regions, dominoes } : null;
}

// src/model/drawing.ts
var MOST_LINES2 = 14;
var LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
function blank(rows2 = 4, columns = 4) {
  const squares = Array.from({ length: rows2 }, () => Array(columns).fill("."));
  return { name: "drawn", rows: rows2, columns, squares, rules: {}, dominoes: [] };
}
function resized(drawing, rows2, columns) {
  const squares = Array.from(
    { length: rows2 },
    (_, row) => Array.from({ length: columns }, (_2, column) => drawing.squares[row]?.[column] ?? ".")
  );
  return { ...drawing, rows: rows2, columns, squares };
}
function painted(drawing, row, column, paint) {
  const now = paint.kind === "hole" ? "." : paint.kind === "free" ? "#" : paint.label;
  const squares = drawing.squares.map(
    (line, r) => r === row ? line.map((was, c) => c === column ? now : was) : line
  );
  return { ...drawing, squares };
}
function ruled(drawing, label, rule) {
  return { ...drawing, rules: { ...drawing.rules, [label]: rule } };
}
function unruled(drawing, label) {
  const { [label]: _, ...rules } = drawing.rules;
  return {
    ...drawing,
    rules,
    squares: drawing.squares.map((line) => line.map((was) => was === label ? "#" : was))
  };
}
function freeLabel(drawing) {
  return [...LABELS].find((label) => !(label in drawing.rules)) ?? null;
}
function squareCount(drawing) {
  return drawing.squares.flat().filter((label) => label !== ".").length;
}
function readOf(drawing) {
  const data = dataOf(drawing);
  const covered = data.cells.length > 0 && data.cells.length === 2 * data.dominoes.length;
  if (!covered || numberless(drawing).length) return null;
  return { name: drawing.name, family: "pips", text: writeText(data), svg: "", pips: data };
}
function numberless({ squares, rules }) {
  return Object.keys(rules).filter(
    (label) => kindOf(rules[label] ?? { kind: "empty" }).hasTarget && rules[label]?.value === null && squares.some((line) => line.includes(label))
  );
}
function dataOf(drawing, holes = false) {
  const regions = Object.entries(drawing.rules).map(([label, rule]) => ({
    label,
    cells: [],
    rule,
    text: signOf(rule) || (holes ? "?" : "")
  }));
  const cells = [];
  drawing.squares.forEach(
    (line, row) => line.forEach((label, column) => {
      if (label === "." && !holes) return;
      const cell = `r${row + 1}c${column + 1}`;
      const at = regions.findIndex((known) => known.label === label);
      regions[at]?.cells.push(cell);
      cells.push({ cell, row, column, region: at < 0 ? null : at });
    })
  );
  if (holes) return { rows: drawing.rows, columns: drawing.columns, cells, regions, dominoes: [] };
  const used = regions.filter((region) => region.cells.length);
  const renumbered = cells.map((cell) => ({
    ...cell,
    region: cell.region === null ? null : used.indexOf(regions[cell.region])
  }));
  const dominoes = drawing.dominoes.map(([a, b]) => [a, b]);
  return trimmed({
    rows: drawing.rows,
    columns: drawing.columns,
    cells: renumbered,
    regions: used,
    dominoes
  });
}
function trimmed(data) {
  const rows2 = Math.max(1, ...data.cells.map(({ row }) => row + 1));
  const columns = Math.max(1, ...data.cells.map(({ column }) => column + 1));
  return { ...data, rows: rows2, columns };
}
function drawingOf(data, name) {
  if (data.rows > MOST_LINES2 || data.columns > MOST_LINES2) return null;
  if (data.regions.some(({ label }) => label.length !== 1 || !LABELS.includes(label))) return null;
  const squares = Array.from({ length: data.rows }, () => Array(data.columns).fill("."));
  for (const { row, column, region } of data.cells)
    squares[row][column] = region === null ? "#" : data.regions[region]?.label ?? "#";
  const rules = Object.fromEntries(data.regions.map(({ label, rule }) => [label, rule]));
  return { name, rows: data.rows, columns: data.columns, squares, rules, dominoes: data.dominoes };
}
function keptDrawing(kept2) {
  try {
    const found = JSON.parse(kept2 ?? "null");
    return found && isDrawing(found) ? found : null;
  } catch {
    return null;
  }
}
function isDrawing({ name, rows: rows2, columns, squares, rules, dominoes }) {
  const labels = Object.keys(rules);
  return typeof name === "string" && rows2 <= MOST_LINES2 && columns <= MOST_LINES2 && squares.length === rows2 && squares.every(
    (line) => line.length === columns && line.every((label) => label === "." || label === "#" || labels.includes(label))
  ) && Object.values(rules).every(({ kind }) => kind in KINDS) && dominoes.every((pips) => pips.length === 2 && pips.every((n) => Number.isInteger(n)));
}

// src/model/packed.ts
var LONGEST_LINK = 2e4;
var LONGEST_TEXT = 2e5;
async function pack(packed2) {
  const bytes = new TextEncoder().encode(
    JSON.stringify([packed2.name, packed2.family, packed2.text, packed2.board])
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const squeezed = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...squeezed)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
async function unpack(link) {
  if (link.length > LONGEST_LINK) throw new Error("the link is too long to be a puzzle");
  if (!/^[\w-]+$/.test(link)) throw new Error("the link is damaged");
  let found;
  try {
    const bytes = Uint8Array.from(
      atob(link.replaceAll("-", "+").replaceAll("_", "/")),
      (c) => c.charCodeAt(0)
    );
    found = JSON.parse(await inflated(bytes));
  } catch (error) {
    throw error instanceof RangeError ? error : new Error("the link is damaged");
  }
  if (!Array.isArray(found)) throw new Error("the link holds no puzzle");
  const [name, family, text, board] = found;
  if (typeof name !== "string" || typeof family !== "string" || typeof text !== "string")
    throw new Error("the link holds no puzzle");
  return { name: name.slice(0, 200), family, text, board: typeof board === "string" ? board : null };
}
async function inflated(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    length += value.length;
    if (length > LONGEST_TEXT) throw new RangeError("the link unpacks to more than a puzzle");
    parts.push(value);
  }
}
function readHere(packed2) {
  const pips = packed2.family === "pips" ? readText(packed2.text) : null;
  return pips && { name: packed2.name, family: "pips", text: packed2.text, svg: "", pips };
}

// src/model/store.ts
var PREFIX = "milp-pips:";
var OPEN = `${PREFIX}open`;
var MOST = 60;
function remember(text, data) {
  write(keyOf(text), { at: Date.now(), data });
}
function recall(text) {
  return read(keyOf(text))?.data ?? null;
}
function rememberOpen(puzzle) {
  write(OPEN, { at: Date.now(), data: puzzle });
}
function recallOpen() {
  return read(OPEN)?.data ?? null;
}
function setting(name) {
  try {
    return localStorage.getItem(`${PREFIX}setting:${name}`);
  } catch {
    return null;
  }
}
function keepSetting(name, value) {
  try {
    localStorage.setItem(`${PREFIX}setting:${name}`, value);
  } catch {
  }
}
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
function write(key, entry) {
  try {
    localStorage.setItem(key, JSON.stringify(entry));
    forgetOld(MOST);
  } catch {
    forgetOld(MOST / 4);
  }
}
function forgetOld(most) {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}puzzle:`));
  if (keys.length <= most) return;
  keys.sort((one, other) => (read(one)?.at ?? 0) - (read(other)?.at ?? 0));
  for (const key of keys.slice(0, keys.length - most)) localStorage.removeItem(key);
}
function keyOf(text) {
  const hash = (seed) => {
    let state2 = seed;
    for (let i = 0; i < text.length; i++) state2 = Math.imul(state2 ^ text.charCodeAt(i), 16777619);
    return (state2 >>> 0).toString(36);
  };
  return `${PREFIX}puzzle:${hash(2166136261)}${hash(2538058380)}:${text.length}`;
}

// src/parts/dom.ts
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === void 0 || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function")
      element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => Boolean(child)));
}
function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}
function s(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, properties, children);
  return element;
}
function button(label, onclick, properties = {}) {
  return h("button", { type: "button", onclick, ...properties }, label);
}
function picture(svg, alt) {
  return h("img", {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    alt,
    class: "picture"
  });
}
var spoken = () => document.getElementById("spoken");
function announce(text) {
  const region = spoken();
  region.textContent = region.textContent === text ? `${text} ` : text;
}
function plural(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
function download(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1e4);
}
function downloadBytes(name, base64, type) {
  h("a", { href: `data:${type};base64,${base64}`, download: name }).click();
}
function fileName(name, suffix) {
  return `${name.replace(/[^\p{L}\p{N} _.-]+/gu, "-").replace(/^[.-]+/, "").slice(0, 80) || "puzzle"}.${suffix}`;
}

// src/parts/loading.ts
var SAID = {
  loading: "Loading hints…",
  ready: "Hints are ready",
  failed: "Hints could not be loaded"
};
var SHOWN = 8e3;
async function loadInBackground(place) {
  let hiding = 0;
  const show = (state2) => {
    clearTimeout(hiding);
    place.textContent = SAID[state2];
    place.dataset.state = state2;
    if (state2 === "ready") hiding = window.setTimeout(() => place.textContent = "", SHOWN);
  };
  show("loading");
  await kept().catch(() => void 0);
  warmUp(show);
}
async function kept() {
  const { serviceWorker } = navigator;
  if (!serviceWorker || serviceWorker.controller) {
    void serviceWorker?.register("service-worker.js").catch(() => void 0);
    return;
  }
  const { installing, waiting } = await serviceWorker.register("service-worker.js");
  const coming = installing ?? waiting;
  if (!coming) return;
  await new Promise((resolve) => {
    const look = () => ["activated", "redundant"].includes(coming.state) && resolve();
    coming.addEventListener("statechange", look);
    look();
  });
}

// src/parts/theme.ts
var NEXT = { auto: "light", light: "dark", dark: "auto" };
var SAID2 = {
  auto: ["◐", "Theme: system"],
  light: ["☀︎", "Theme: light"],
  dark: ["☾︎", "Theme: dark"]
};
function setUpTheme(button2) {
  let theme = setting("theme") ?? "auto";
  const show = () => {
    document.documentElement.dataset.theme = theme;
    const [sign, name] = SAID2[theme] ?? ["", ""];
    button2.textContent = sign;
    button2.title = name;
    button2.setAttribute("aria-label", name);
  };
  if (!(theme in NEXT)) theme = "auto";
  show();
  button2.addEventListener("click", () => {
    theme = NEXT[theme] ?? "auto";
    keepSetting("theme", theme);
    show();
  });
}

// src/parts/words.ts
var NAMES2 = /\b(r\d+c\d+|(?:row|column) \d+)\b/i;
function worded(sentence2) {
  return sentence2.split(NAMES2).map((part, i) => i % 2 ? h("span", { class: "cell-name", translate: "no" }, part) : part);
}
function asWritten(sentence2, regions = []) {
  return sentence2.replace(
    /\b(region (\S+)) \(at (?:least|most) (\d+)\)/gi,
    (whole, named2, label, target) => {
      const rule = regions.find((region) => region.label === label)?.rule;
      return rule?.kind === "sum" && rule.value === Number(target) ? `${named2} (sum ${target})` : whole;
    }
  );
}
function sentenceButton(sentence2, point) {
  const made = button("", point, { class: "sentence" });
  made.append(...worded(sentence2));
  return made;
}
function showNamedCells() {
  let lit = [];
  document.addEventListener("pointerover", ({ target }) => {
    const name = target instanceof Element && target.closest(".cell-name")?.textContent?.toLowerCase();
    for (const cell of lit) cell.classList.remove("named");
    const [kind, number] = name ? name.split(" ") : [];
    const cells = !name ? null : kind === "row" ? `^="r${number}c"` : kind === "column" ? `$="c${number}"` : `="${name}"`;
    lit = cells ? [...document.querySelectorAll(`[data-cell${cells}]`)] : [];
    for (const cell of lit) cell.classList.add("named");
  });
}

// src/parts/asking.ts
var Asking = class {
  /** Says that somebody thinks, and lets one stop that; or says why there is no answer. */
  element = h("div", { class: "asking", "aria-live": "polite" });
  running = null;
  /**
   * Returns the answer; null where there is none, which has been said, or where another question came.
   * `tell` gets each part of the answer that comes before, and returns what to say now, and what to show
   * beside it, which is not read out.
   */
  async ask(verb, body, said, tell = null) {
    this.stop();
    const running2 = new AbortController();
    this.running = running2;
    const line = h("span", {}, said);
    const passed = h("span", { class: "soft", "aria-hidden": "true" });
    const begun2 = Date.now();
    let beside2 = "";
    const show = () => {
      const seconds = Math.floor((Date.now() - begun2) / 1e3);
      passed.textContent = [beside2, seconds ? `${seconds} s` : ""].filter(Boolean).join("; ");
    };
    const ticking = setInterval(show, 1e3);
    const waiting = setTimeout(() => {
      this.element.replaceChildren(
        h("span", { class: "thinking", "aria-hidden": "true" }),
        line,
        passed,
        button("Stop", () => this.stop(), { class: "plain" })
      );
    }, 250);
    const onEvent = (event, data) => {
      const ahead = event === "queued" ? data.ahead : 0;
      if (ahead) line.textContent = `${said} (${ahead} before it)`;
      if (event === "loading") line.textContent = `${said} The page is still being loaded.`;
      if (event !== "part" || !tell || running2.signal.aborted) return;
      const [now, shown] = tell(data);
      if (line.textContent !== now) line.textContent = now;
      beside2 = shown;
      show();
    };
    try {
      const answer = await ask(verb, body, { onEvent, signal: running2.signal });
      if (this.running === running2) this.element.replaceChildren();
      return running2.signal.aborted ? null : answer;
    } catch (error) {
      if (this.running === running2)
        this.element.replaceChildren(
          ...isAbort(error) ? [] : [h("p", { class: "fault" }, asSentence(sayFault(error)))]
        );
      return null;
    } finally {
      clearTimeout(waiting);
      clearInterval(ticking);
      if (this.running === running2) this.running = null;
    }
  }
  /** Whether an answer is waited for. */
  get isRunning() {
    return this.running !== null;
  }
  stop() {
    this.running?.abort();
    this.running = null;
    this.element.replaceChildren();
  }
  say(text) {
    this.stop();
    this.element.replaceChildren(h("p", {}, text));
  }
};
function asSentence(message) {
  const begun2 = message.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?]$/.test(begun2) ? begun2 : `${begun2}.`;
}

// src/model/play.ts
var EMPTY = { laid: [], marks: {}, outlines: [], hinted: [] };
function laidAt(play, square) {
  return play.laid.find(({ squares }) => squares.includes(square)) ?? null;
}
function pipsAt(board, play, square) {
  const laid = laidAt(play, square);
  return laid ? board.dominoes[laid.domino]?.[laid.squares.indexOf(square)] ?? null : null;
}
function isLaid(play, domino2) {
  return play.laid.some((laid) => laid.domino === domino2);
}
function lay(board, play, domino2, squares) {
  const kept2 = play.laid.filter(
    (laid) => laid.domino !== domino2 && !laid.squares.some((square) => squares.includes(square))
  );
  const marks = { ...play.marks };
  const pips = board.dominoes[domino2];
  squares.forEach((square, half2) => {
    if (marks[square] !== pips[half2]) delete marks[square];
  });
  return { ...play, laid: [...kept2, { domino: domino2, squares }], marks };
}
function takeBack(play, squares) {
  return {
    ...play,
    laid: play.laid.filter((laid) => !laid.squares.some((square) => squares.includes(square)))
  };
}
function fitting(board, play, { domino: domino2, turn, half: half2 }, square) {
  const free = (other) => {
    const laid = laidAt(play, other);
    return !laid || laid.domino === domino2;
  };
  if (!free(square)) return null;
  for (let more = 0; more < 4; more++) {
    const other = beside(board, square, turn + more + 2 * half2);
    if (other !== null && free(other)) return half2 ? [other, square] : [square, other];
  }
  return null;
}
function turnLaid(board, play, square) {
  const laid = laidAt(play, square);
  if (!laid) return null;
  const first = laid.squares[0] === square;
  const other = laid.squares[first ? 1 : 0];
  const now = directionOf(board, [square, other]);
  for (let more = 1; more < 4; more++) {
    const next2 = beside(board, square, now + more);
    if (next2 !== null && !laidAt(play, next2))
      return lay(board, play, laid.domino, first ? [square, next2] : [next2, square]);
  }
  return lay(board, play, laid.domino, [laid.squares[1], laid.squares[0]]);
}
function conclude(board, play, facts) {
  const marks = { ...play.marks };
  const outlines = [...play.outlines];
  for (const fact of facts) {
    if ("domino" in fact) {
      const [one, other] = squaresOf(board, fact.cells);
      if (fact.domino && one !== void 0 && other !== void 0 && !outlines.some((pair) => isPair(pair, one, other)))
        outlines.push([one, other]);
    } else if ("is" in fact) {
      const square = board.numbers.get(fact.cell);
      if (square !== void 0) marks[square] = Number(fact.is);
    }
  }
  return layKnown(board, { ...play, marks, outlines });
}
function layKnown(board, play) {
  let now = play;
  for (const [one, other] of play.outlines) {
    if (laidAt(now, one) || laidAt(now, other)) continue;
    const a = play.marks[one];
    const b = play.marks[other];
    if (a === void 0 || b === void 0) continue;
    now = layPips(board, now, [one, other], [a, b]) ?? now;
  }
  return now;
}
function layPips(board, play, squares, [a, b]) {
  for (const [domino2, [c, d]] of board.dominoes.entries()) {
    if (isLaid(play, domino2)) continue;
    if (c === a && d === b) return lay(board, play, domino2, squares);
    if (c === b && d === a) return lay(board, play, domino2, [squares[1], squares[0]]);
  }
  return null;
}
function boardText(board, play) {
  if (!play.laid.length && !Object.keys(play.marks).length) return null;
  const rows2 = Array.from({ length: board.rows }, () => Array(board.columns).fill("."));
  board.squares.forEach(({ row, column }, square) => {
    rows2[row][column] = pipsAt(board, play, square) ?? play.marks[square] ?? "?";
  });
  const lines = rows2.map((row) => row.join(" "));
  if (play.laid.length) lines.push("dominoes");
  for (const { domino: domino2, squares } of play.laid) {
    const [a, b] = board.dominoes[domino2];
    lines.push(`${a}-${b} ${squares.map((square) => board.squares[square]?.name).join(" ")}`);
  }
  return `${lines.join("\n")}
`;
}
function isPair([a, b], one, other) {
  return a === one && b === other || a === other && b === one;
}

// src/parts/domino.ts
var NEAR = 23;
var MIDDLE = [[0, 0]];
var DIAGONAL = [
  [-NEAR, -NEAR],
  [NEAR, NEAR]
];
var CORNERS = [...DIAGONAL, [NEAR, -NEAR], [-NEAR, NEAR]];
var SIDES = [
  [-NEAR, 0],
  [NEAR, 0]
];
var ENDS = [
  [0, -NEAR],
  [0, NEAR]
];
var DOTS = [
  [],
  MIDDLE,
  DIAGONAL,
  [...DIAGONAL, ...MIDDLE],
  CORNERS,
  [...CORNERS, ...MIDDLE],
  [...CORNERS, ...SIDES],
  [...CORNERS, ...SIDES, ...MIDDLE],
  [...CORNERS, ...SIDES, ...ENDS],
  [...CORNERS, ...SIDES, ...ENDS, ...MIDDLE]
];
function half(pips, x, y = 50, upright = 0) {
  const dots = DOTS[pips];
  const group = s("g", { transform: `translate(${x} ${y})` });
  if (dots) group.append(...dots.map(([dx, dy]) => s("circle", { class: "dot", cx: dx, cy: dy, r: 9 })));
  else
    group.append(
      s(
        "text",
        { class: "digits", "text-anchor": "middle", y: 16, transform: `rotate(${-upright})` },
        String(pips)
      )
    );
  return group;
}
function domino([a, b], upright = 0) {
  return s(
    "g",
    { class: "domino" },
    s("rect", { class: "shadow", x: 8, y: 12, width: 184, height: 84, rx: 20 }),
    s("rect", { class: "bone", x: 8, y: 8, width: 184, height: 84, rx: 20 }),
    s("path", { class: "fold", d: "M100 24v52" }),
    half(a, 50, 50, upright),
    half(b, 150, 50, upright)
  );
}
function dominoPicture(pips) {
  return s("svg", { viewBox: "0 0 200 100", class: "domino-picture", "aria-hidden": "true" }, domino(pips));
}

// src/parts/outline.ts
var UNIT = 100;
function outline(squares, inset, radius) {
  return loops(squares).map((loop) => rounded(corners(loop, inset), radius)).join("");
}
function loops(squares) {
  const inside = /* @__PURE__ */ new Set();
  const all = [...squares];
  for (const { row, column } of all) inside.add(`${row},${column}`);
  const starts = /* @__PURE__ */ new Map();
  for (const { row, column } of all) {
    const sides = [
      [row - 1, column, { from: [column, row], way: [1, 0] }],
      [row, column + 1, { from: [column + 1, row], way: [0, 1] }],
      [row + 1, column, { from: [column + 1, row + 1], way: [-1, 0] }],
      [row, column - 1, { from: [column, row + 1], way: [0, -1] }]
    ];
    for (const [r, c, edge] of sides)
      if (!inside.has(`${r},${c}`))
        starts.set(String(edge.from), [...starts.get(String(edge.from)) ?? [], edge]);
  }
  const found = [];
  for (const first of starts.values()) while (first.length) found.push(follow(first.pop(), starts));
  return found;
}
function follow(first, starts) {
  const loop = [first];
  for (let edge = first; ; ) {
    const { from, way } = edge;
    const open = starts.get(String([from[0] + way[0], from[1] + way[1]])) ?? [];
    const next2 = open.findIndex((other) => other.way[0] === -way[1] && other.way[1] === way[0]);
    const taken = open.splice(Math.max(next2, 0), 1)[0];
    if (!taken) return loop;
    loop.push(taken);
    edge = taken;
  }
}
function corners(loop, inset) {
  return loop.flatMap(({ from, way }, i) => {
    const before = (loop[i - 1] ?? loop[loop.length - 1]).way;
    if (before[0] === way[0] && before[1] === way[1]) return [];
    return [
      [
        from[0] * UNIT + inset * (-before[1] - way[1]),
        from[1] * UNIT + inset * (before[0] + way[0])
      ]
    ];
  });
}
function rounded(points, radius) {
  const near = ([x, y], [toX, toY]) => {
    const length = Math.hypot(toX - x, toY - y);
    const part = Math.min(radius, length / 2) / length;
    return `${x + (toX - x) * part} ${y + (toY - y) * part}`;
  };
  return `${points.map((point, i) => {
    const before = points[i - 1] ?? points[points.length - 1];
    const after = points[i + 1] ?? points[0];
    return `${i ? "L" : "M"}${near(point, before)}Q${point[0]} ${point[1]} ${near(point, after)}`;
  }).join("")}Z`;
}

// src/parts/tints.ts
var HUES = [65, 200, 335, 110, 245, 20, 155, 290];
var TINTS = HUES.length * 3;
function tintsOf(board, most = TINTS) {
  const tints = [];
  const used = Array(most).fill(0);
  board.regions.forEach((_, region) => {
    const near = Array(most).fill(0);
    board.squares.forEach((square, number) => {
      if (square.region !== region) return;
      for (const direction of [0, 1, 2, 3]) {
        const other = beside(board, number, direction);
        const tint = other === null ? void 0 : tints[board.squares[other]?.region ?? -1];
        if (tint !== void 0) near[tint] = (near[tint] ?? 0) + 1;
      }
    });
    const cost = (tint) => near[tint] * 1e3 + used[tint];
    const best = used.reduce((least, _2, tint) => cost(tint) < cost(least) ? tint : least, 0);
    used[best] = used[best] + 1;
    tints.push(best);
  });
  return tints;
}
function tinted(element, tint) {
  const shade = Math.floor(tint / HUES.length);
  element.classList.add("tinted");
  element.style.setProperty("--hue", String(HUES[tint % HUES.length] + 15 * shade));
  element.style.setProperty("--shade", String(shade));
  return element;
}

// src/parts/board-view.ts
var KEYS = { ArrowRight: 0, ArrowDown: 1, ArrowLeft: 2, ArrowUp: 3 };
var BoardView = class _BoardView {
  constructor(board, label, describe) {
    this.board = board;
    this.describe = describe;
    this.grid = this.makeGrid(label);
    this.redraw(board);
    this.drawn = s(
      "svg",
      { class: "drawn", "aria-hidden": "true", viewBox: `0 0 ${board.columns * 100} ${board.rows * 100}` },
      this.ground,
      this.above,
      this.badges
    );
    this.frame = h("div", { class: "board" }, this.drawn, this.grid);
    this.element = h("div", { class: "board-room sized" }, this.frame);
    this.element.style.setProperty("--rows", String(board.rows));
    this.element.style.setProperty("--columns", String(board.columns));
  }
  board;
  describe;
  element;
  grid;
  cells = [];
  frame;
  drawn;
  above = s("g");
  badges = s("g");
  ground = s("g");
  tints = [];
  /** What lay there when it was last drawn: only what has come since is seen to come. */
  lying = /* @__PURE__ */ new Set();
  focused = 0;
  /** A board that is only looked at. */
  static picture(board) {
    const view = new _BoardView(board, "", () => "");
    view.show({});
    return view.drawn;
  }
  show({ play, standings: standings2, ghost, lit, shares, numbered }) {
    this.above.replaceChildren(
      ...shares ? this.heat(shares) : [],
      ...lit ? this.lights(lit) : [],
      ...play ? this.pieces(play) : [],
      ...ghost ? [this.piece(ghost.pips, ghost.squares, "ghost")] : [],
      ...lit ? this.rings(lit) : [],
      ...numbered ? this.numbers() : []
    );
    this.badges.replaceChildren(
      ...this.board.regions.flatMap((_, i) => this.badge(i, standings2?.[i], lit?.regions) ?? [])
    );
    this.cells.forEach((cell, square) => {
      const said = this.describe(square);
      if (cell.getAttribute("aria-label") !== said) cell.setAttribute("aria-label", said);
      cell.classList.toggle("laid", Boolean(play && laidAt(play, square)));
    });
  }
  /** Takes a board with the same squares and other regions; in a drawing, `holes` are there to be painted alone. */
  redraw(board, holes = null) {
    this.board = board;
    this.tints = tintsOf(board);
    this.drawGround(holes);
  }
  tintOf(region) {
    return this.tints[region] ?? 0;
  }
  /** The square that an element of the grid stands for. */
  squareOf(target) {
    const cell = target instanceof Element ? target.closest("[role=gridcell]") : null;
    const square = cell ? this.cells.indexOf(cell) : -1;
    return square < 0 ? null : square;
  }
  /** The square under a point of the window, and where in the board that is, in squares. */
  place(x, y) {
    const box = this.frame.getBoundingClientRect();
    const across = (x - box.left) / box.width * this.board.columns;
    const down = (y - box.top) / box.height * this.board.rows;
    return { square: squareAt(this.board, Math.floor(down), Math.floor(across)), across, down };
  }
  /** Pixels that a square is wide. */
  get unit() {
    return this.frame.getBoundingClientRect().width / this.board.columns;
  }
  get current() {
    return this.focused;
  }
  focus(square = this.focused) {
    this.moveTo(square);
    this.cells[square]?.focus();
  }
  moveTo(square) {
    this.cells[this.focused]?.setAttribute("tabindex", "-1");
    this.focused = square;
    this.cells[square]?.setAttribute("tabindex", "0");
  }
  makeGrid(label) {
    const { rows: rows2, columns, squares } = this.board;
    const grid = h("div", {
      role: "grid",
      class: "squares",
      "aria-label": label,
      "aria-rowcount": rows2,
      "aria-colcount": columns
    });
    const lines = /* @__PURE__ */ new Map();
    squares.forEach(({ row, column, name }, i) => {
      const cell = h("div", {
        role: "gridcell",
        class: "square",
        tabindex: i ? "-1" : "0",
        "aria-colindex": column + 1,
        "data-cell": name
      });
      cell.style.setProperty("--row", String(row));
      cell.style.setProperty("--column", String(column));
      this.cells.push(cell);
      if (!lines.has(row)) lines.set(row, h("div", { role: "row", "aria-rowindex": row + 1 }));
      lines.get(row)?.append(cell);
    });
    grid.append(...[...lines].sort(([a], [b]) => a - b).map(([, line]) => line));
    grid.addEventListener("focusin", (event) => {
      const square = this.squareOf(event.target);
      if (square !== null) this.moveTo(square);
    });
    grid.addEventListener("keydown", (event) => {
      const next2 = event.ctrlKey || event.metaKey || event.altKey ? null : this.after(event.key);
      if (next2 === null) return;
      event.preventDefault();
      this.focus(next2);
    });
    return grid;
  }
  /** The square to which a key leads: across holes, and no further than the line goes. */
  after(key) {
    const { row, column } = this.board.squares[this.focused];
    const line = this.board.squares.flatMap((other, i) => other.row === row ? [i] : []);
    if (key === "Home") return line[0] ?? null;
    if (key === "End") return line.at(-1) ?? null;
    const direction = KEYS[key];
    if (direction === void 0) return null;
    const [down, right] = DIRECTIONS[direction];
    for (let step = 1; step <= Math.max(this.board.rows, this.board.columns); step++) {
      const square = squareAt(this.board, row + down * step, column + right * step);
      if (square !== null) return square;
    }
    return this.focused;
  }
  drawGround(drawn) {
    const holes = drawn ?? /* @__PURE__ */ new Set();
    const { squares, regions } = this.board;
    const box = (kind, inset) => (square) => {
      const { row, column } = squares[square];
      const size = 100 - 2 * inset;
      return s("rect", {
        class: kind,
        x: column * 100 + inset,
        y: row * 100 + inset,
        width: size,
        height: size,
        rx: 14
      });
    };
    const shown = (region) => region !== null && (drawn !== null || regions[region]?.rule.kind !== "empty");
    const all = squares.map((_, square) => square);
    const free = squares.filter(({ region }, square) => !holes.has(square) && !shown(region));
    this.ground.replaceChildren(
      s("path", { class: "free", d: outline(free, 2, 16) }),
      ...regions.flatMap((_, i) => {
        const d = outline(
          squares.filter((square) => square.region === i),
          4,
          18
        );
        return !shown(i) ? [] : [tinted(s("path", { class: "region", d }), this.tintOf(i))];
      }),
      ...all.filter((square) => holes.has(square)).map(box("hole", 8)),
      ...all.filter((square) => !holes.has(square)).map(box("socket", 12))
    );
  }
  /** What a region's rule is, and whether it holds; and which region it is, where that is spoken of. */
  badge(region, state2, named2 = []) {
    const { text, cells, label } = this.board.regions[region] ?? { text: "", cells: [], label: "" };
    const first = this.board.squares[this.board.numbers.get(cells[0] ?? "") ?? -1];
    const letter = named2.includes(label) ? label : "";
    if (!text && !letter || !first) return null;
    const standing2 = state2?.standing ?? "open";
    const mark = { open: "", holds: "M0 8l6 6 11-14", broken: "M0 0l14 14M14 0l-14 14" }[standing2];
    const told = letter ? 12 + letter.length * 17.5 : 0;
    const wide = told + (text ? 16 + text.length * 17.5 : 4) + (mark ? 22 : 0);
    const badge = s(
      "g",
      {
        class: `badge ${standing2}`,
        transform: `translate(${first.column * 100 - 6} ${first.row * 100 - 17})`
      },
      s("rect", { width: wide, height: 30, rx: 11 }),
      letter && s("path", {
        class: "letter",
        d: `M11 1h${told - 11}v28h${11 - told}a10 10 0 0 1-10-10v-8a10 10 0 0 1 10-10z`
      }),
      letter && s("text", { class: "letter", x: told / 2 + 1, y: 23.5, "text-anchor": "middle" }, letter),
      s("text", { x: told + 8 + text.length * 8.75, y: 23.5, "text-anchor": "middle" }, text),
      mark && s("path", { d: mark, transform: `translate(${wide - 24} 8)` })
    );
    return tinted(badge, this.tintOf(region));
  }
  pieces(play) {
    const open = (square) => !laidAt(play, square);
    const keys = play.laid.map((laid2) => `${laid2.domino}:${laid2.squares}`);
    const kind = (i) => this.lying.has(keys[i]) ? "" : "coming";
    const laid = play.laid.map(
      ({ domino: domino2, squares }, i) => this.piece(this.board.dominoes[domino2], squares, kind(i))
    );
    this.lying = new Set(keys);
    return [
      ...play.outlines.filter((pair) => pair.every(open)).map((pair) => s("path", { class: "outlined", d: outline(this.at(pair), 14, 22) })),
      ...Object.entries(play.marks).filter(([square]) => open(Number(square))).map(([square, value]) => this.written(Number(square), String(value), "mark")),
      ...laid
    ];
  }
  piece(pips, squares, kind) {
    const { row, column } = this.board.squares[squares[0]];
    const turned = directionOf(this.board, squares) * 90;
    const where2 = `translate(${column * 100} ${row * 100}) rotate(${turned} 50 50)`;
    return s("g", { class: `piece ${kind}`, transform: where2 }, domino(pips, turned));
  }
  written(square, text, kind, lower = 0) {
    const { row, column } = this.board.squares[square];
    return s(
      "text",
      { class: kind, x: column * 100 + 50, y: row * 100 + 66 + lower, "text-anchor": "middle" },
      text
    );
  }
  heat(shares) {
    return this.board.squares.flatMap(({ row, column }, square) => {
      const best = Object.entries(shares[square] ?? {}).sort(([, a], [, b]) => b - a)[0];
      if (!best) return [];
      const [value, share] = best;
      const box = s("rect", {
        class: share >= 1 ? "heat sure" : "heat",
        x: column * 100 + 6,
        y: row * 100 + 6,
        width: 88,
        height: 88,
        rx: 14
      });
      box.style.setProperty("--share", String(share));
      if (share >= 1) return [box, this.written(square, value, "likely sure")];
      return [
        box,
        this.written(square, value, "likely", -8),
        this.written(square, percent(share), "share", 20)
      ];
    });
  }
  lights({ rule = [] }) {
    return rule.length ? [s("path", { class: "lit-rule", d: outline(this.at(rule), 0, 20) })] : [];
  }
  rings({ move = [], wrong = [] }) {
    const ring = (kind, squares) => s("path", { class: `ring ${kind}`, d: outline(this.at(squares), 6, 20) });
    return [ring("move", move), ring("wrong", wrong)];
  }
  numbers() {
    const { rows: rows2, columns } = this.board;
    const number = (n, x, y) => s("text", { class: "number", x, y, "text-anchor": "middle" }, String(n));
    return [
      ...Array.from({ length: columns }, (_, i) => number(i + 1, i * 100 + 50, -24)),
      ...Array.from({ length: rows2 }, (_, i) => number(i + 1, -26, i * 100 + 58))
    ];
  }
  at(squares) {
    return squares.flatMap((square) => this.board.squares[square] ?? []);
  }
};
function percent(share) {
  const shown = share * 100;
  return shown < 1 ? "<1%" : `${Math.floor(shown)}%`;
}

// src/parts/pixels.ts
var MOST_PIXELS = where === "browser" ? 9e5 : 25e5;
var MOST_FILE_BYTES = 2 ** 25;
var SMALLER = 0.8;
var LEAST_SIDE = 100;
async function pixelsOf(file, limit) {
  if (file.size > MOST_FILE_BYTES) throw new Fault("usage", "The picture is too large for a screenshot.");
  const image = await createImageBitmap(file).catch(() => {
    throw new Fault("usage", "The browser cannot read this picture.");
  });
  const most = Math.min(1, Math.sqrt(MOST_PIXELS / (image.width * image.height)));
  for (let scale = most; ; scale *= SMALLER) {
    const width = Math.floor(image.width * scale);
    const height = Math.floor(image.height * scale);
    if (Math.min(width, height) < LEAST_SIDE)
      throw new Fault("usage", "The picture is too small, or it is not a screenshot.");
    const canvas = canvasOf(width, height);
    canvas.fillStyle = "white";
    canvas.fillRect(0, 0, width, height);
    canvas.imageSmoothingQuality = "high";
    canvas.drawImage(image, 0, 0, width, height);
    const pixels = await packed(canvas.getImageData(0, 0, width, height).data);
    if (pixels.length <= limit) return { width, height, pixels };
  }
}
function canvasOf(width, height) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  return canvas.getContext("2d", { willReadFrequently: true });
}
async function packed(data) {
  const stream = new Blob([new Uint8Array(data)]).stream().pipeThrough(new CompressionStream("deflate"));
  const url = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    void new Response(stream).blob().then((blob) => reader.readAsDataURL(blob));
  });
  return url.slice(url.indexOf(",") + 1);
}

// src/views/screenshot.ts
var REST = 1e3;
var NAME2 = "From a screenshot";
async function readPicture(asking, file, bytes) {
  const said = "Reading the picture…";
  asking.say(said);
  try {
    const pixels = await pixelsOf(file, bytes - REST);
    return await asking.ask("read_picture", { name: NAME2, ...pixels }, said);
  } catch (error) {
    asking.say(sayFault(error));
    return null;
  }
}
var Doubts = class {
  constructor(changed) {
    this.changed = changed;
  }
  changed;
  element = h("div", { class: "doubts", "aria-live": "polite" });
  /** The cells that are doubtful. */
  cells = [];
  show({ doubts }) {
    this.cells = doubts.flatMap(({ cells }) => cells);
    const said = doubts.length ? `${plural(doubts.length, "part")} of it may be misread:` : "Every part was read with certainty.";
    this.element.replaceChildren(h("p", {}, said));
    if (doubts.length)
      this.element.append(
        h("ul", {}, ...doubts.map((doubt) => h("li", {}, sentence(doubt)))),
        button("I have checked them", () => this.forget())
      );
    this.changed();
  }
  forget() {
    this.cells = [];
    this.element.replaceChildren();
    this.changed();
  }
};
function sentence({ words, label, domino: domino2 }) {
  if (domino2 !== null) return `Domino ${domino2 + 1}: ${words}.`;
  return label ? `Region ${label}: ${words}.` : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
function drawingOfDraft({ rows: rows2, rules, dominoes }) {
  const labels = Object.keys(rules);
  const columns = rows2[0]?.length ?? 0;
  if (Math.max(rows2.length, columns) > MOST_LINES2) return null;
  if (labels.some((label) => label.length !== 1 || !LABELS.includes(label))) return null;
  const ruled2 = labels.map((label) => {
    const { kind = "empty", target = null } = rules[label] ?? {};
    return [label, { kind, value: target }];
  });
  const all = Object.fromEntries(ruled2);
  return { name: NAME2, rows: rows2.length, columns, squares: rows2, rules: all, dominoes };
}
function goesTo() {
  if (where === "browser") return "A picture is read in this browser; nothing is uploaded.";
  const host = location.hostname;
  return ["localhost", "127.0.0.1", "[::1]"].includes(host) ? "The server on this computer reads a picture; nothing is uploaded." : `The server ${host} reads a picture, and keeps nothing.`;
}

// src/views/chooser.ts
var Chooser = class {
  constructor(about, chosen, drafted) {
    this.about = about;
    this.chosen = chosen;
    this.drafted = drafted;
    this.element.append(
      h(
        "header",
        {},
        h("h2", { id: "chooser-title" }, "Choose a puzzle"),
        button("Close", () => this.element.close())
      ),
      this.asking.element,
      this.found,
      this.ownPuzzle(),
      about.verbs.includes("generate") ? this.newPuzzle() : "",
      h("h3", {}, "Examples"),
      this.shelf
    );
    this.element.addEventListener("close", () => this.asking.stop());
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
    this.takeFiles();
  }
  about;
  chosen;
  drafted;
  element = h("dialog", { class: "chooser", "aria-labelledby": "chooser-title" });
  asking = new Asking();
  found = h("div", { class: "found" });
  shelf = h("ul", { class: "shelf" });
  screenshot = this.fileInput("screenshot", "image/*");
  /** Offers only the sizes that a new puzzle of the chosen grade can have. */
  offerSizes = () => void 0;
  pickPicture() {
    this.screenshot.click();
  }
  open() {
    if (!this.element.open) this.element.showModal();
  }
  showExamples(reads) {
    this.shelf.replaceChildren(...reads.map((read2) => this.entry(read2)));
  }
  /** Reads a file, and opens it if it holds one puzzle. */
  async read(name, text) {
    if (new Blob([text]).size > this.about.limits.bytes)
      return this.fail(`${name} is larger than ${plural(this.about.limits.bytes, "byte")}`);
    const answer = await this.asking.ask(
      "read",
      { file: { name, text } },
      "Reading…"
    );
    if (!answer) return this.open();
    const { puzzles, warnings } = answer;
    const faults = [...answer.faults, ...warnings.map((warning) => `Warning: ${warning}`)];
    this.found.replaceChildren();
    if (puzzles.length === 1 && !faults.length) return this.take(puzzles[0]);
    this.found.replaceChildren(
      h("ul", { class: "shelf" }, ...puzzles.map((read2) => this.entry(read2))),
      ...faults.map((fault) => h("p", { class: "fault" }, fault))
    );
    this.open();
  }
  fail(said) {
    this.found.replaceChildren(h("p", { class: "fault" }, said));
    this.open();
  }
  take(read2) {
    this.element.close();
    this.chosen(read2);
  }
  entry(read2) {
    const what = [
      read2.pips ? plural(read2.pips.dominoes.length, "domino", "dominoes") : read2.family.replace("-", " "),
      read2.rating?.grade
    ];
    const choice = h(
      "button",
      { type: "button", class: "entry" },
      read2.pips && read2.pips.cells.length <= MOST_SQUARES ? BoardView.picture(boardOf(read2.pips)) : picture(read2.svg, ""),
      h("span", { class: "name" }, read2.name),
      h("span", { class: "soft" }, what.filter(Boolean).join(", "))
    );
    choice.addEventListener("click", () => this.take(read2));
    return h("li", {}, choice);
  }
  ownPuzzle() {
    const typed = h("textarea", {
      id: "typed",
      rows: 5,
      spellcheck: "false",
      placeholder: "AAB\nC.B\nCDD\nA =, B >4\nC 5, D !=\n1-1 23 50 64"
    });
    const read2 = button("Read it", () => void this.read("Your puzzle", typed.value));
    return h(
      "div",
      { class: "own" },
      h(
        "div",
        { class: "drop" },
        this.screenshot,
        h("label", { for: "screenshot", class: "button strong" }, "From a screenshot"),
        this.fileInput("file"),
        h("label", { for: "file", class: "button" }, "Open a file"),
        h(
          "p",
          { class: "soft" },
          h("span", { class: "by-mouse" }, "or drop or paste either anywhere on the page. "),
          `A screenshot shows the whole board and the dominoes. ${goesTo()} Files have Pips, Sudokus and other puzzles as text, or the Times’ JSON, where a day has three.`
        )
      ),
      h(
        "details",
        {},
        h("summary", {}, "Type or paste a puzzle"),
        h("label", { for: "typed" }, "Puzzle"),
        typed,
        read2
      )
    );
  }
  /** Takes what is known of who answers. */
  learn(about) {
    this.about = about;
    this.offerSizes();
  }
  newPuzzle() {
    const grade = h(
      "select",
      { id: "grade" },
      ...["easy", "medium", "hard", "expert", "any"].map((name) => h("option", { value: name }, name))
    );
    const size = h("input", { type: "number", id: "dominoes", value: 5 });
    this.offerSizes = () => {
      const [least, most] = this.about.sizes[grade.value] ?? [3, 20];
      [size.min, size.max] = [String(least), String(most)];
      size.value = String(Math.min(Math.max(Number(size.value), least), most));
    };
    grade.onchange = this.offerSizes;
    this.offerSizes();
    const make = async () => {
      const wanted = {
        grade: grade.value === "any" ? null : grade.value,
        dominoes: Number(size.value),
        seed: null
      };
      const body = { ...wanted, seconds: this.about.limits.seconds };
      const answer = await this.asking.ask("generate", body, "Making a puzzle…");
      const made = answer?.puzzles[0];
      if (made) this.take({ ...made, name: wanted.grade ? `New puzzle, ${wanted.grade}` : "New puzzle" });
    };
    return h(
      "form",
      {
        class: "new",
        onsubmit: (event) => {
          event.preventDefault();
          void make();
        }
      },
      h("label", { for: "grade" }, "A new one: "),
      grade,
      h("label", { for: "dominoes" }, "dominoes"),
      size,
      h("button", { type: "submit" }, "Make it")
    );
  }
  async readFile(file) {
    if (file.type.startsWith("image/")) {
      this.found.replaceChildren();
      this.open();
      const draft = await readPicture(this.asking, file, this.about.limits.bytes);
      if (!draft) return;
      this.element.close();
      return this.drafted(draft);
    }
    if (file.size > this.about.limits.bytes)
      return this.fail(`${file.name} is larger than ${plural(this.about.limits.bytes, "byte")}`);
    await this.read(file.name, await file.text());
  }
  fileInput(id, accept = null) {
    const input = h("input", { type: "file", id, class: "unseen", accept });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.readFile(file);
      input.value = "";
    });
    return input;
  }
  /** Takes files that are dropped or pasted. */
  takeFiles() {
    const take = (data) => {
      const file = data?.files[0];
      if (file) void this.readFile(file);
      return Boolean(file);
    };
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      take(event.dataTransfer);
    });
    window.addEventListener("paste", (event) => {
      if (take(event.clipboardData)) event.preventDefault();
    });
  }
};

// src/views/compare.ts
var FIRST = /* @__PURE__ */ new Map([
  ["highs", 1],
  ["cp-sat", 1],
  ["sat", 1],
  ["diagram", 1]
]);
var MOST_RUNS = 24;
var CompareView = class {
  constructor(app) {
    this.app = app;
    this.seconds.max = String(app.about.limits.seconds);
    this.seconds.value = String(Math.min(10, app.about.limits.seconds));
    const columns = ["Engine", "Formulation", "Time", "Answer", "Columns", "Rows", "Nodes"];
    this.table.append(
      h(
        "table",
        { class: "runs" },
        h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))),
        this.rows
      )
    );
    this.element.append(
      h(
        "header",
        { class: "head" },
        h("div", {}, h("h1", { id: "compare-title" }, "Compare engines"), this.by)
      ),
      h(
        "form",
        {
          onsubmit: (event) => event.preventDefault()
        },
        this.engines,
        h(
          "div",
          { class: "choices" },
          h("label", { for: "seconds", class: "inline" }, "Seconds for each "),
          this.seconds,
          this.start,
          this.stop,
          button("Save the numbers", () => this.save())
        )
      ),
      this.said,
      this.table
    );
  }
  app;
  element = h("section", { class: "view compare", "aria-labelledby": "compare-title" });
  by = h("p", { class: "by" });
  engines = h("div", { class: "engines" });
  said = h("p", { class: "soft" });
  rows = h("tbody");
  table = h("div", {
    class: "wide",
    hidden: true,
    tabindex: "0",
    role: "region",
    "aria-label": "Results"
  });
  seconds = h("input", { type: "number", id: "seconds", min: 1, max: 3600 });
  start = button("Compare", () => void this.run(), { class: "strong" });
  stop = button("Stop", () => this.running?.abort(), { hidden: true });
  running = null;
  lines = [];
  ticked = /* @__PURE__ */ new Map();
  read = null;
  enter() {
    if (this.app.puzzle === this.read) return;
    this.running?.abort();
    this.read = this.app.puzzle;
    this.by.textContent = this.read?.name ?? "";
    this.rows.replaceChildren();
    this.lines = [];
    this.table.hidden = true;
    this.said.textContent = "";
    this.start.disabled = true;
    if (this.read) void this.offerFitting(this.read);
  }
  leave() {
    this.running?.abort();
  }
  /** Offers the formulations that can state the puzzle, once that is known. */
  async offerFitting(read2) {
    const about = await ask("about", { puzzle: puzzleOf(read2) }).catch(() => this.app.about);
    if (this.read === read2) this.offer(about.engines);
  }
  /** Offers engines; what the user ticked or unticked stays so. */
  offer(engines) {
    for (const box of this.engines.querySelectorAll("input")) {
      if (box.checked !== box.defaultChecked) this.ticked.set(box.id, box.checked);
    }
    this.engines.replaceChildren(...engines.map((engine) => this.choices(engine)));
    this.start.disabled = false;
  }
  choices({ name, formulations }) {
    const [first, ...others] = (formulations.length ? formulations : [""]).map((formulation, i) => {
      const id = `run-${name}-${formulation}`;
      const checked2 = this.ticked.get(id) ?? i < (FIRST.get(name) ?? 0);
      const box = h("input", { type: "checkbox", id, value: JSON.stringify([name, formulation]), checked: checked2 });
      box.defaultChecked = checked2;
      return h("div", { class: "check" }, box, h("label", { for: id }, formulation || "default"));
    });
    const more = others.length > 0 && h("details", {}, h("summary", {}, `${others.length} more`), ...others);
    return h("fieldset", { class: "engine" }, h("legend", {}, name), first, more);
  }
  chosen() {
    const boxes = this.element.querySelectorAll(".engine input:checked");
    return [...boxes].map((box) => JSON.parse(box.value)).slice(0, MOST_RUNS);
  }
  async run() {
    const { read: read2 } = this;
    const chosen = this.chosen();
    if (!read2 || !chosen.length) return void (this.said.textContent = "Choose at least one engine.");
    this.running?.abort();
    const running2 = this.running = new AbortController();
    this.start.hidden = true;
    this.stop.hidden = false;
    this.table.hidden = false;
    this.rows.replaceChildren();
    this.lines = chosen.map(([engine, formulation]) => this.waitingLine(engine, formulation));
    const ticking = setInterval(() => this.draw(), 100);
    for (const line of this.lines) {
      if (running2.signal.aborted) break;
      await this.runOne(line, read2, running2.signal);
    }
    clearInterval(ticking);
    if (this.running !== running2) return;
    this.running = null;
    this.start.hidden = false;
    this.stop.hidden = true;
    this.said.textContent = this.verdict();
    announce(this.verdict());
    this.draw();
  }
  waitingLine(engine, formulation) {
    const row = h("tr");
    this.rows.append(row);
    return { run: { engine, formulation, status: "waiting" }, row, begun: 0 };
  }
  async runOne(line, read2, signal) {
    const { engine, formulation } = line.run;
    line.run = { ...line.run, status: "running" };
    line.begun = performance.now();
    try {
      const body = {
        puzzle: puzzleOf(read2),
        runs: [{ engine, formulation }],
        seconds: Number(this.seconds.value) || 10
      };
      const { runs } = await ask("compare", body, { signal });
      line.run = runs[0] ?? { ...line.run, status: "no answer" };
    } catch (error) {
      line.run = {
        ...line.run,
        status: isAbort(error) ? "stopped" : "failed",
        message: isAbort(error) ? "" : sayFault(error)
      };
    }
    this.draw();
  }
  secondsOf({ run, begun: begun2 }) {
    return run.status === "running" ? (performance.now() - begun2) / 1e3 : run.seconds ?? 0;
  }
  draw() {
    const most = Math.max(1e-3, ...this.lines.map((line) => this.secondsOf(line)));
    for (const line of this.lines) {
      const { run } = line;
      const spent = this.secondsOf(line);
      const bar = h("div", { class: `bar ${run.status}` });
      bar.style.setProperty("--share", String(spent / most));
      bar.style.setProperty("--build", String(spent && run.build ? run.build / spent : 0));
      const shown = run.status === "waiting" || run.status !== "running" && run.seconds == null ? "" : `${spent.toFixed(3)} s`;
      line.row.replaceChildren(
        h("th", { scope: "row" }, run.engine),
        h("td", {}, run.formulation),
        h("td", { class: "time" }, bar, h("span", {}, shown)),
        h("td", { class: run.message ? "fault" : "" }, run.message || run.status),
        ...[run.columns, run.rows, run.nodes].map(
          (n) => h("td", { class: "n" }, n == null ? "–" : n.toLocaleString("en"))
        )
      );
    }
  }
  verdict() {
    const solved = this.lines.filter(
      ({ run }) => run.seconds != null && (run.status === "solved" || run.status === "infeasible")
    );
    const best = solved.sort((a, b) => (a.run.seconds ?? 0) - (b.run.seconds ?? 0))[0];
    if (!best) return "No engine has answered.";
    const { engine, formulation, seconds } = best.run;
    return `${plural(solved.length, "engine")} answered; first ${engine}${formulation ? ` (${formulation})` : ""} in ${seconds?.toFixed(3)} s. The first part of each bar is building the model.`;
  }
  save() {
    if (!this.read || !this.lines.length) return;
    const text = JSON.stringify({ puzzle: this.read.name, runs: this.lines.map(({ run }) => run) }, null, 1);
    download(fileName(`${this.read.name}-compared`, "json"), text, "application/json");
  }
};

// src/model/finishes.ts
var KEY = "milp-pips:finishes";
var FORMAT = "milp-pips finishes";
var LEVELS = ["easy", "medium", "hard"];
function dayKey({ date, level }) {
  return `${date} ${level}`;
}
function finishes() {
  try {
    return checked(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}
function keepFinish(key, finish) {
  write2({ [key]: finish, ...finishes() });
}
function exported() {
  return `${JSON.stringify({ format: FORMAT, finishes: finishes() }, null, 1)}
`;
}
function imported(text) {
  const data = JSON.parse(text);
  if (data?.format !== FORMAT) throw new Error("the file was not exported by this page");
  const [ours, theirs] = [finishes(), checked(data.finishes)];
  const keys = Object.keys(theirs);
  const added = keys.filter((key) => !ours[key]).length;
  for (const key of keys)
    if ((ours[key]?.at ?? Infinity) > theirs[key].at) ours[key] = theirs[key];
  write2(ours);
  return added;
}
function write2(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
  }
}
function checked(data) {
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
  const entries = Object.entries(data ?? {}).flatMap(
    ([key, finish]) => {
      const { at, seconds, hints, level } = finish ?? {};
      if (key.length > 200 || !isNumber(at) || !isNumber(seconds) || !isNumber(hints)) return [];
      const known = LEVELS.some((name) => name === level) ? { level } : {};
      return [[key, { at, seconds, hints, ...known }]];
    }
  );
  return Object.fromEntries(entries);
}
function streaks(all, now = /* @__PURE__ */ new Date()) {
  const solved = new Set(Object.values(all).map(({ at }) => dayNumber(new Date(at))));
  let longest = 0;
  const lengths = /* @__PURE__ */ new Map();
  for (const day of [...solved].sort((a, b) => a - b)) {
    const length = (lengths.get(day - 1) ?? 0) + 1;
    lengths.set(day, length);
    longest = Math.max(longest, length);
  }
  const today = dayNumber(now);
  return { current: lengths.get(today) ?? lengths.get(today - 1) ?? 0, longest };
}
function dayNumber(time) {
  return Math.round(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 864e5);
}

// src/parts/timer.ts
var Timer = class {
  element;
  elapsed = 0;
  since = null;
  hidden = setting("timer") === "hidden";
  constructor() {
    this.element = h("button", { type: "button", class: "timer plain" });
    this.element.addEventListener("click", () => {
      this.hidden = !this.hidden;
      keepSetting("timer", this.hidden ? "hidden" : "shown");
      this.show();
    });
    document.addEventListener("visibilitychange", () => document.hidden ? this.pause() : this.resume());
    setInterval(() => this.show(), 1e3);
  }
  /** Seconds so far. */
  get seconds() {
    return this.elapsed + (this.since === null ? 0 : (Date.now() - this.since) / 1e3);
  }
  running = false;
  start(seconds) {
    this.elapsed = seconds;
    this.running = true;
    this.since = document.hidden ? null : Date.now();
    this.show();
  }
  stop() {
    this.pause();
    this.running = false;
    this.show();
  }
  pause() {
    this.elapsed = this.seconds;
    this.since = null;
  }
  resume() {
    if (this.running && this.since === null) this.since = Date.now();
  }
  show() {
    const shown = this.hidden ? "⏱︎" : clock(this.seconds);
    if (this.element.textContent !== shown) this.element.textContent = shown;
    this.element.setAttribute("aria-label", this.hidden ? "Show timer" : `Timer ${shown}, hide it`);
  }
};
function clock(seconds) {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  return hours ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

// src/views/statistics.ts
var Statistics = class {
  /** `changed` is called when finishes have come from a file. */
  constructor(changed = () => void 0) {
    this.changed = changed;
    const input = h("input", { type: "file", id: "finishes-file", class: "unseen", accept: ".json" });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.read(file);
      input.value = "";
    });
    this.element.append(
      this.figures,
      h("p", { class: "soft" }, "Kept in this browser alone."),
      h(
        "div",
        { class: "choices" },
        button("Export", () => download("milp-pips-finishes.json", exported(), "application/json")),
        input,
        h("label", { for: "finishes-file", class: "button" }, "Import")
      ),
      this.said
    );
    this.show();
  }
  changed;
  element = h("div", { class: "statistics" });
  figures = h("div");
  said = h("p", { role: "status" });
  show() {
    const all = finishes();
    const { current, longest } = streaks(all);
    const solved = Object.values(all);
    const row = (name, level) => {
      const own = solved.filter((finish) => finish.level === level);
      if (!own.length) return null;
      const times = own.map(({ seconds }) => seconds).sort((a, b) => a - b);
      const middle = times[Math.floor((times.length - 1) / 2)];
      const cells = [
        own.length,
        own.filter(({ hints }) => !hints).length,
        clock(times[0]),
        clock(middle)
      ];
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        ...cells.map((cell) => h("td", { class: "n" }, String(cell)))
      );
    };
    const heads = ["Solved", "without hints", "best", "median"];
    this.figures.replaceChildren(
      h("p", {}, `${plural(solved.length, "puzzle")} solved; days in a row: ${current}, at best ${longest}.`)
    );
    if (solved.length)
      this.figures.append(
        h(
          "table",
          { class: "runs" },
          h(
            "thead",
            {},
            h("tr", {}, h("td", {}), ...heads.map((head) => h("th", { class: "n", scope: "col" }, head)))
          ),
          h("tbody", {}, ...LEVELS.map((level) => row(level, level)), row("others", void 0))
        )
      );
  }
  async read(file) {
    try {
      const added = imported(await file.text());
      this.said.textContent = `${plural(added, "finish", "finishes")} added.`;
    } catch (error) {
      const why = error instanceof SyntaxError ? "the file is not JSON" : error.message;
      this.said.textContent = `Nothing was imported: ${why}.`;
    }
    this.show();
    this.changed();
  }
};

// src/views/days.ts
var KEYS2 = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
var DaysView = class {
  constructor(days, open) {
    this.days = days;
    this.open = open;
    this.months = [...new Set(days.map((date) => date.slice(0, 7)))];
    this.month = this.months.length - 1;
    const heads = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map(
      (name) => h("th", { scope: "col", abbr: name }, name.slice(0, 3))
    );
    const calendar = h("table", { class: "calendar" }, h("thead", {}, h("tr", {}, ...heads)), this.sheet);
    this.element.append(
      h("header", { class: "head" }, h("div", {}, h("h1", { id: "days-title" }, "Days"))),
      h(
        "div",
        { class: "stage" },
        h("div", { class: "month" }, this.back, this.title, this.on),
        this.asking.element,
        calendar
      ),
      h(
        "div",
        { class: "side" },
        h("div", { class: "panel" }, h("h2", {}, "Solved"), this.statistics.element)
      )
    );
    this.sheet.addEventListener("keydown", (event) => this.key(event));
  }
  days;
  open;
  element = h("section", { class: "view days", "aria-labelledby": "days-title" });
  asking = new Asking();
  months;
  month;
  title = h("h2", { "aria-live": "polite" });
  sheet = h("tbody");
  back = button("‹", () => this.turn(-1), { "aria-label": "Month before" });
  on = button("›", () => this.turn(1), { "aria-label": "Month after" });
  statistics = new Statistics(() => this.show());
  enter() {
    this.show();
  }
  leave() {
    this.asking.stop();
  }
  turn(by) {
    this.month = Math.min(Math.max(this.month + by, 0), this.months.length - 1);
    this.show();
  }
  show() {
    const month = this.months[this.month];
    const first = /* @__PURE__ */ new Date(`${month}-01T00:00:00Z`);
    this.title.textContent = monthWords(first);
    this.back.disabled = this.month === 0;
    this.on.disabled = this.month === this.months.length - 1;
    const cells = Array.from({ length: (first.getUTCDay() + 6) % 7 }, () => h("td"));
    const known = new Set(this.days);
    const all = finishes();
    for (const day = new Date(first); day.getUTCMonth() === first.getUTCMonth(); day.setUTCDate(day.getUTCDate() + 1)) {
      const date = day.toISOString().slice(0, 10);
      const number = String(day.getUTCDate());
      cells.push(
        h("td", {}, known.has(date) ? this.day(date, number, all) : h("span", { class: "soft" }, number))
      );
    }
    while (cells.length % 7) cells.push(h("td"));
    const weeks = Array.from(
      { length: cells.length / 7 },
      (_, i) => h("tr", {}, ...cells.slice(7 * i, 7 * i + 7))
    );
    this.sheet.replaceChildren(...weeks);
    this.statistics.show();
  }
  day(date, number, all) {
    const solved = LEVELS.map((level) => all[dayKey({ date, level })]);
    const said = LEVELS.map((level, i) => {
      const finish = solved[i];
      return `${level} ${finish ? `solved in ${clock(finish.seconds)}` : "open"}`;
    });
    const open = LEVELS[solved.findIndex((finish) => !finish)] ?? LEVELS[0];
    const marks = solved.map((finish) => h("span", { class: finish ? "solved" : "open" }));
    const day = h(
      "button",
      {
        type: "button",
        class: "day",
        "data-date": date,
        title: said.join(", "),
        "aria-label": `${dateWords(date)}: ${said.join(", ")}`
      },
      h("span", { class: "date" }, number),
      h("span", { class: "marks" }, ...marks)
    );
    day.addEventListener("click", () => this.open(date, open));
    return day;
  }
  /** Moves the focus by a day or a week, across the months. */
  key(event) {
    const by = KEYS2[event.key];
    const date = event.target.dataset.date;
    if (by === void 0 || !date) return;
    event.preventDefault();
    const at = /* @__PURE__ */ new Date(`${date}T00:00:00Z`);
    at.setUTCDate(at.getUTCDate() + by);
    const wanted = at.toISOString().slice(0, 10);
    const near = this.days.filter((day) => by > 0 ? day >= wanted : day <= wanted).at(by > 0 ? 0 : -1);
    this.focus(near ?? this.days.at(by > 0 ? -1 : 0));
  }
  focus(near) {
    if (!near.startsWith(this.months[this.month])) {
      this.month = this.months.indexOf(near.slice(0, 7));
      this.show();
    }
    this.sheet.querySelector(`[data-date="${near}"]`)?.focus();
  }
};
function monthWords(month) {
  return month.toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}
function dateWords(date, month = "long") {
  const options = { day: "numeric", month, year: "numeric", timeZone: "UTC" };
  return (/* @__PURE__ */ new Date(`${date}T00:00:00Z`)).toLocaleDateString("en-GB", options);
}

// src/model/history.ts
var History = class _History {
  constructor(now) {
    this.now = now;
  }
  now;
  past = [];
  future = [];
  get state() {
    return this.now;
  }
  push(state2) {
    this.past.push(this.now);
    this.now = state2;
    this.future = [];
  }
  get canUndo() {
    return this.past.length > 0;
  }
  get canRedo() {
    return this.future.length > 0;
  }
  undo() {
    const before = this.past.pop();
    if (before === void 0) return false;
    this.future.push(this.now);
    this.now = before;
    return true;
  }
  redo() {
    const after = this.future.pop();
    if (after === void 0) return false;
    this.past.push(this.now);
    this.now = after;
    return true;
  }
  /** What to keep to go on later. */
  kept() {
    return { past: this.past, now: this.now, future: this.future };
  }
  static from(kept2) {
    const history2 = new _History(kept2.now);
    history2.past = kept2.past;
    history2.future = kept2.future;
    return history2;
  }
};

// src/parts/share.ts
var SQUARES = ["🟧", "🟦", "🟪", "🟨", "🟩", "🟥", "🟫"];
var [FREE, HOLE] = ["⬜", "⬛"];
function shareText(name, seconds, hints, board) {
  const how = hints ? plural(hints, "hint") : "no hints";
  return [`${name} · milp-pips`, `solved in ${clock(seconds)}, ${how}`, ...board ? rows(board) : []].join(
    "\n"
  );
}
async function sharedField(address, packed2) {
  if (!address) {
    const field = h("textarea", { readonly: true, rows: 6, "aria-label": "The puzzle as text" });
    field.value = packed2.text;
    return field;
  }
  const value = `${address.replace(/#.*/, "")}#puzzle=${await pack(packed2)}`;
  return h("input", {
    type: "text",
    readonly: true,
    value,
    "aria-label": "Link to this puzzle",
    class: "link"
  });
}
function sharedWords(address) {
  return address ? "The puzzle, with what stands on the board, is in the link:" : "Only this computer reaches this page, so a link to it would open nowhere else. Send the text, which can be pasted under “Other puzzle…”, or the picture:";
}
function rows(board) {
  const tints = tintsOf(board, SQUARES.length);
  const lines = Array.from({ length: board.rows }, () => Array(board.columns).fill(HOLE));
  for (const { row, column, region } of board.squares) {
    const free = region === null || board.regions[region]?.rule.kind === "empty";
    lines[row][column] = free ? FREE : SQUARES[tints[region]];
  }
  return lines.map((line) => line.join(""));
}

// src/views/brushes.ts
var LARGEST = 999;
var Brushes = class {
  constructor(change) {
    this.change = change;
  }
  change;
  element = h("fieldset", { class: "brushes" });
  paint = { kind: "free" };
  drawing = null;
  show(drawing) {
    this.drawing = drawing;
    const focused = document.activeElement?.id;
    const regions = Object.keys(drawing.rules);
    if (this.paint.kind === "region" && !regions.includes(this.paint.label)) this.paint = { kind: "free" };
    const tints = tintsOf(boardOf(dataOf(drawing, true)));
    const label = freeLabel(drawing);
    this.element.replaceChildren(
      h("legend", { class: "unseen" }, "Paint with"),
      this.brush("hole", "No square", { kind: "hole" }),
      this.brush("free", "Square without a rule", { kind: "free" }),
      ...regions.map((name, i) => this.regionBrush(drawing, name, tints[i] ?? 0)),
      label ? button("New region", () => this.addRegion(label), { id: "new-region" }) : ""
    );
    if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
  }
  brush(id, text, paint) {
    const radio = h("input", {
      type: "radio",
      name: "brush",
      id: `brush-${id}`,
      checked: isSame(paint, this.paint)
    });
    radio.addEventListener("change", () => this.paint = paint);
    return h("div", { class: "brush" }, radio, h("label", { for: `brush-${id}` }, text));
  }
  regionBrush(drawing, label, tint) {
    const rule = drawing.rules[label] ?? { kind: "empty", value: null };
    const set = (to) => this.change(ruled(drawing, label, to));
    const line = this.brush(label, label, { kind: "region", label });
    line.querySelector("label")?.prepend(h("span", { class: "unseen" }, "Region "));
    tinted(line, tint);
    line.append(
      kindOf2(label, rule, set),
      KINDS[rule.kind].hasTarget ? valueOf(label, rule, set) : "",
      button("✕", () => this.change(unruled(drawing, label)), {
        class: "plain",
        "aria-label": `Remove region ${label}`
      })
    );
    return line;
  }
  addRegion(label) {
    if (!this.drawing) return;
    this.paint = { kind: "region", label };
    this.change(ruled(this.drawing, label, { kind: "empty", value: null }));
    document.getElementById(`kind-${label}`)?.focus();
  }
};
function kindOf2(label, rule, set) {
  const options = Object.entries(KINDS).map(
    ([name, { spoken: spoken2 }]) => h("option", { value: name, selected: name === rule.kind }, spoken2)
  );
  const kind = h("select", { id: `kind-${label}`, "aria-label": `Rule of region ${label}` }, ...options);
  kind.addEventListener("change", () => {
    const name = kind.value;
    set({ kind: name, value: KINDS[name].hasTarget ? rule.value : null });
    if (rule.value === null) document.getElementById(`value-${label}`)?.focus();
  });
  return kind;
}
function valueOf(label, rule, set) {
  const value = h("input", {
    type: "number",
    id: `value-${label}`,
    min: 0,
    max: LARGEST,
    value: rule.value ?? "",
    "aria-label": `Number of region ${label}`
  });
  value.addEventListener("change", () => {
    const number = Math.min(Math.max(Math.round(Number(value.value)) || 0, 0), LARGEST);
    set({ ...rule, value: value.value === "" ? null : number });
  });
  return value;
}
function isSame(one, other) {
  return one.kind === "region" && other.kind === "region" ? one.label === other.label : one.kind === other.kind;
}

// src/views/domino-box.ts
var SET = Array.from(
  { length: 7 },
  (_, a) => Array.from({ length: 7 - a }, (_2, i) => [a, a + i])
).flat();
var DominoBox = class {
  constructor(change) {
    this.change = change;
    const set = SET.map(
      (pair) => this.piece(pair, `Add ${pair.join("-")}`, () => this.change([...this.dominoes, pair]))
    );
    this.element.append(
      h("h2", { id: "box-title" }, "Dominoes"),
      this.count,
      this.taken,
      h("div", { class: "choices" }, this.filler, this.emptier),
      h(
        "details",
        {},
        h("summary", {}, "Choose dominoes"),
        h("div", { class: "set" }, ...set),
        h("label", { for: "typed-dominoes" }, "or type dominoes "),
        this.typed
      )
    );
    this.typed.addEventListener("change", () => this.addTyped());
  }
  change;
  element = h("section", { class: "panel box", "aria-labelledby": "box-title" });
  count = h("p", { class: "soft" });
  taken = h("ul", { class: "taken", "aria-label": "Dominoes of the puzzle" });
  typed = h("input", { type: "text", id: "typed-dominoes", placeholder: "5-1 3-3 0-6" });
  filler = button("Add the missing ones at random", () => this.fill());
  emptier = button("Take all out", () => this.change([]));
  dominoes = [];
  wanted = 0;
  show(dominoes, squares) {
    this.dominoes = dominoes;
    this.wanted = Math.floor(squares / 2);
    this.count.textContent = `${plural(dominoes.length, "domino", "dominoes")} of the ${this.wanted} that cover ${plural(squares, "square")}.`;
    this.filler.disabled = dominoes.length >= this.wanted;
    this.emptier.disabled = dominoes.length === 0;
    this.taken.replaceChildren(
      ...dominoes.map(
        (pair, i) => h(
          "li",
          {},
          this.piece(
            pair,
            `Take out ${pair.join("-")}`,
            () => this.change(this.dominoes.filter((_, other) => other !== i))
          )
        )
      )
    );
  }
  piece(pair, label, onclick) {
    const piece = h(
      "button",
      { type: "button", class: "small-domino", "aria-label": label, title: label },
      dominoPicture(pair)
    );
    piece.addEventListener("click", onclick);
    return piece;
  }
  /** Adds dominoes at random, none twice as long as there are others. */
  fill() {
    const dominoes = [...this.dominoes];
    while (dominoes.length < this.wanted) {
      const times = (pair) => dominoes.filter(([a, b]) => a === pair[0] && b === pair[1]).length;
      const least = Math.min(...SET.map(times));
      const rarest = SET.filter((pair) => times(pair) === least);
      dominoes.push(rarest[Math.floor(Math.random() * rarest.length)]);
    }
    if (dominoes.length > this.dominoes.length) this.change(dominoes);
  }
  addTyped() {
    const found = [...this.typed.value.matchAll(/(\d{1,2})\s*[-|/]\s*(\d{1,2})|(\d)(\d)/g)];
    const pairs = found.map(([, a, b, c, d]) => [Number(a ?? c), Number(b ?? d)]);
    this.typed.value = "";
    if (pairs.length) this.change([...this.dominoes, ...pairs.slice(0, 100)]);
  }
};

// src/model/changes.ts
var BY_WORDS = new Map(Object.entries(KINDS).map(([kind, { words }]) => [words, kind]));
function withChanges(drawing, { rules, facts }) {
  let now = drawing;
  for (const { label } of rules) now = now && withRule(now, label);
  for (const fact of facts)
    now = now && "is" in fact && typeof fact.is === "number" ? withNumber(now, fact.cell, fact.is) : null;
  return now;
}
function withRule(drawing, label) {
  const swap = /^the domino (\d+)-(\d+) in place of (\d+)-(\d+)$/.exec(label);
  if (swap) {
    const [a, b, c, d] = swap.slice(1).map(Number);
    const at = drawing.dominoes.findIndex(([x, y]) => x === c && y === d || x === d && y === c);
    const dominoes = drawing.dominoes.map((pips, i) => i === at ? [a, b] : pips);
    return at < 0 ? null : { ...drawing, dominoes };
  }
  const found = /^region (?:of (r\d+c\d+) alone|(\S+)): (.*?)(?: (\d+))?$/.exec(label);
  const kind = BY_WORDS.get(found?.[3] ?? "");
  if (!found || !kind) return null;
  const rule = { kind, value: found[4] === void 0 ? null : Number(found[4]) };
  if (found[1]) return alone(drawing, found[1], rule);
  const region = found[2];
  return region in drawing.rules ? ruled(drawing, region, rule) : null;
}
function withNumber(drawing, cell, value) {
  const rule = { kind: "sum", value };
  const label = labelAt(drawing, cell);
  const own = drawing.rules[label];
  if (!own || drawing.squares.flat().filter((other) => other === label).length === 1)
    return own ? ruled(drawing, label, rule) : alone(drawing, cell, rule);
  if (own.kind !== "empty" && !KINDS[own.kind].isSum) return null;
  const left = ruled(drawing, label, { ...own, value: own.value === null ? null : own.value - value });
  return alone(left, cell, rule);
}
function alone(drawing, cell, rule) {
  const label = freeLabel(drawing);
  const [row, column] = placeOf2(cell);
  return label === null ? null : ruled(painted(drawing, row, column, { kind: "region", label }), label, rule);
}
function labelAt(drawing, cell) {
  const [row, column] = placeOf2(cell);
  return drawing.squares[row]?.[column] ?? ".";
}
function placeOf2(cell) {
  const [row, column] = (/^r(\d+)c(\d+)$/.exec(cell)?.slice(1) ?? []).map((n) => Number(n) - 1);
  return [row ?? -1, column ?? -1];
}

// src/parts/pointing.ts
function cellsOf(fact) {
  return "cell" in fact ? [fact.cell] : fact.cells;
}
function pointAtStep(step, read2, look = []) {
  const rule = (step.items ?? []).flatMap((item) => item.cells ?? []);
  const regions = regionsIn(step.sentence);
  return {
    regions,
    numbered: namesCells(step.sentence),
    rule: eachOnce(
      rule.length ? rule : look.length && !read2.pips ? [...look] : named(step.sentence, regions, read2)
    ),
    fact: eachOnce((step.facts ?? []).flatMap(cellsOf)),
    move: eachOnce((step.conclusions ?? []).flatMap(cellsOf))
  };
}
function pointAtReason({ items, sentence: sentence2 }) {
  const cells = (kinds) => eachOnce(items.filter(({ kind }) => kinds.includes(kind)).flatMap((item) => item.cells ?? []));
  return {
    regions: regionsIn(sentence2),
    numbered: namesCells(sentence2),
    rule: cells(["rule"]),
    wrong: cells(["move", "given"])
  };
}
function eachOnce(cells) {
  return [...new Set(cells)];
}
function regionsIn(sentence2) {
  const one = "[^\\s,.;:()]+";
  const lists = sentence2.matchAll(new RegExp(`\\bregions? (${one}(?:(?:, | and | or )${one})*)`, "gi"));
  return eachOnce([...lists].flatMap(([, list]) => list.split(/, | and | or /)));
}
function namesCells(sentence2) {
  return /\br\d+c\d+\b|\b(row|column)s? \d/i.test(sentence2);
}
function named(sentence2, labels, read2) {
  const cells = sentence2.match(/\br\d+c\d+\b/g) ?? [];
  const regions = (read2.pips?.regions ?? []).filter(({ label }) => labels.includes(label));
  return [...cells, ...regions.flatMap((region) => region.cells)];
}

// src/views/grid-table.ts
var EMPTY2 = { values: {}, hinted: [] };
var FINGER = 28;
var KEYS3 = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1]
};
var GridTable = class {
  constructor(read2, kept2, board, events) {
    this.events = events;
    this.grid = read2.grid;
    this.colours = Object.fromEntries(
      Object.entries(read2.colours ?? {}).filter(([, code]) => /^#[0-9a-f]{6}$/i.test(code))
    );
    this.history = this.readKept(kept2) ?? new History(EMPTY2);
    if (board) this.history.push({ values: this.readBoard(board), hinted: [] });
    this.current = this.grid.cells.find(({ given }) => given === null)?.cell ?? "";
    this.element = h("div", { class: "table" }, this.makeBoard(read2), this.makePad());
    this.draw();
  }
  events;
  element;
  isDone = null;
  grid;
  colours;
  history;
  cells = /* @__PURE__ */ new Map();
  current;
  shown = null;
  board() {
    const { values } = this.history.state;
    if (!Object.keys(values).length) return null;
    const rows2 = Array.from(
      { length: this.grid.rows },
      () => Array(this.grid.columns).fill(null)
    );
    for (const { cell, row, column, given } of this.grid.cells)
      rows2[row][column] = given ?? values[cell] ?? null;
    return JSON.stringify({ grid: rows2 });
  }
  hinted() {
    return this.history.state.hinted;
  }
  conclude(facts) {
    const { values, hinted } = this.history.state;
    this.change({ values: { ...values, ...valuesIn(facts) }, hinted: [...hinted, ...facts] });
  }
  piecesOn(cells) {
    return new Set(cells).size;
  }
  clear(cells) {
    if (!cells) return this.change(EMPTY2);
    const { values, hinted } = this.history.state;
    this.change({
      values: Object.fromEntries(Object.entries(values).filter(([cell]) => !cells.includes(cell))),
      hinted
    });
  }
  fill({ grid = [] }) {
    const values = {};
    for (const { cell, row, column, given } of this.grid.cells) {
      const value = grid[row]?.[column] ?? null;
      if (given === null && value !== null) values[cell] = value;
    }
    this.change({ values, hinted: this.history.state.hinted });
  }
  point(at) {
    for (const [name, cell] of this.cells)
      for (const kind of ["rule", "fact", "move", "wrong"])
        cell.classList.toggle(kind, at?.[kind]?.includes(name) ?? false);
  }
  tell(facts) {
    this.shown = facts && { values: valuesIn(facts), hinted: [] };
    this.draw();
  }
  undo() {
    if (this.history.undo()) this.changed("undone");
  }
  redo() {
    if (this.history.redo()) this.changed("done again");
  }
  get canUndo() {
    return this.history.canUndo;
  }
  get canRedo() {
    return this.history.canRedo;
  }
  get isFull() {
    const { values } = this.history.state;
    return this.grid.cells.every(({ cell, given }) => given !== null || cell in values);
  }
  kept() {
    return this.history.kept();
  }
  change(state2, said = "") {
    this.history.push(state2);
    this.changed(said);
  }
  changed(said) {
    this.point(null);
    this.draw();
    if (said) announce(said);
    this.events.changed();
  }
  set(cell, value) {
    const known = this.grid.cells.find((other) => other.cell === cell);
    if (!known || this.shown) return;
    if (known.given !== null) return announce(`${known.given} is given`);
    const values = { ...this.history.state.values };
    if (value === null) delete values[cell];
    else values[cell] = value;
    this.change({ values, hinted: this.history.state.hinted }, value === null ? "emptied" : String(value));
  }
  makeBoard(read2) {
    const { rows: rows2, columns, cells } = this.grid;
    const drawn = read2.picture;
    const squares = h("div", {
      role: "grid",
      class: "squares over",
      "aria-label": `Board of ${read2.name}`,
      "aria-rowcount": rows2,
      "aria-colcount": columns
    });
    for (let row = 0; row < rows2; row++) {
      const across = cells.filter((other) => other.row === row);
      if (!across.length) continue;
      const line = h("div", { role: "row", "aria-rowindex": row + 1 });
      for (const { cell, column } of across) {
        const square = h("div", {
          role: "gridcell",
          class: "square",
          "aria-colindex": column + 1,
          tabindex: "-1",
          "data-cell": cell
        });
        const [x, y, wide, high] = drawn?.cells[cell] ?? [0, 0, 0, 0];
        square.style.left = `${100 * x / (drawn?.width ?? 1)}%`;
        square.style.top = `${100 * y / (drawn?.height ?? 1)}%`;
        square.style.width = `${100 * wide / (drawn?.width ?? 1)}%`;
        square.style.height = `${100 * high / (drawn?.height ?? 1)}%`;
        square.style.setProperty("--high", String(high / (drawn?.width ?? 1)));
        this.cells.set(cell, square);
        line.append(square);
      }
      squares.append(line);
    }
    squares.addEventListener("focusin", (event) => this.moveTo(nameOf(event.target)));
    squares.addEventListener("click", (event) => this.focus(nameOf(event.target)));
    squares.addEventListener("keydown", (event) => this.key(event));
    const board = h("div", { class: "board pictured" }, picture(read2.svg, ""), squares);
    const narrowest = Math.min(...Object.values(drawn?.cells ?? {}).map(([, , wide]) => wide));
    board.style.setProperty("--shape", String((drawn?.width ?? 1) / (drawn?.height ?? 1)));
    board.style.setProperty("--least", `${FINGER * (drawn?.width ?? 0) / narrowest}px`);
    board.style.setProperty("--wide", `${Math.max(drawn?.width ?? 0, columns * 44)}px`);
    return h("div", { class: "board-room" }, board);
  }
  /** Buttons for those who have no keys. */
  makePad() {
    const pad = h("div", { class: "pad", role: "group", "aria-label": "Fill the cell with" });
    const put = (value) => this.set(this.current, value);
    for (const value of this.grid.values) {
      const colour = this.colours[String(value)];
      const key = h("button", { type: "button" }, String(value));
      if (colour) key.style.setProperty("--colour", colour);
      key.classList.toggle("coloured", Boolean(colour));
      key.addEventListener("click", () => put(value));
      pad.append(key);
    }
    const empty = h("button", { type: "button", "aria-label": "Empty the cell" }, "⌫");
    empty.addEventListener("click", () => put(null));
    pad.append(empty);
    return pad;
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.grid.cells.find(({ cell }) => cell === this.current);
    if (!here) return;
    const way = KEYS3[event.key];
    const starting = this.grid.values.filter(
      (value) => String(value).toLowerCase().startsWith(event.key.toLowerCase())
    );
    if (way)
      this.focus(
        this.grid.cells.find(
          ({ row, column }) => row === here.row + way[0] && column === here.column + way[1]
        )?.cell
      );
    else if (event.key === "Delete" || event.key === "Backspace" || event.key === " ")
      this.set(here.cell, null);
    else if (event.key.length === 1 && starting.length) {
      const now = starting.indexOf(this.history.state.values[here.cell] ?? "");
      this.set(here.cell, starting[(now + 1) % starting.length]);
    } else if (event.key === "?") this.events.hint();
    else return;
    event.preventDefault();
  }
  focus(cell) {
    if (!cell) return;
    this.moveTo(cell);
    this.cells.get(cell)?.focus();
  }
  moveTo(cell) {
    if (!cell) return;
    this.cells.get(this.current)?.setAttribute("tabindex", "-1");
    this.cells.get(this.current)?.classList.remove("current");
    this.current = cell;
    this.cells.get(cell)?.setAttribute("tabindex", "0");
    this.cells.get(cell)?.classList.add("current");
  }
  draw() {
    const { values } = this.shown ?? this.history.state;
    for (const { cell, row, column, given } of this.grid.cells) {
      const square = this.cells.get(cell);
      const value = given === null ? values[cell] : void 0;
      const colour = value === void 0 ? void 0 : this.colours[String(value)];
      square?.replaceChildren(value === void 0 ? "" : h("span", {}, String(value)));
      square?.classList.toggle("coloured", Boolean(colour));
      if (colour) square?.style.setProperty("--colour", colour);
      const what = given !== null ? `${given}, given` : value ?? "empty";
      square?.setAttribute("aria-label", `Row ${row + 1}, column ${column + 1}: ${what}`);
    }
    this.moveTo(this.current);
  }
  readBoard(text) {
    let rows2;
    try {
      rows2 = JSON.parse(text).grid;
    } catch {
      return {};
    }
    const values = {};
    for (const { cell, row, column, given } of this.grid.cells) {
      const value = Array.isArray(rows2) && Array.isArray(rows2[row]) ? rows2[row][column] : null;
      if (given === null && this.grid.values.includes(value)) values[cell] = value;
    }
    return values;
  }
  readKept(kept2) {
    const { past, now, future } = kept2 ?? {};
    if (!Array.isArray(past) || !Array.isArray(future) || !now) return null;
    const known = new Set(this.grid.cells.map(({ cell }) => cell));
    const whole = [...past, now, ...future].every(
      (state2) => Array.isArray(state2?.hinted) && Object.entries(state2?.values ?? {}).every(
        ([cell, value]) => known.has(cell) && this.grid.values.includes(value)
      )
    );
    return whole ? History.from({ past, now, future }) : null;
  }
};
function valuesIn(facts) {
  return Object.fromEntries(facts.flatMap((fact) => "is" in fact ? [[fact.cell, fact.is]] : []));
}
function nameOf(target) {
  return target instanceof Element ? target.closest("[role=gridcell]")?.dataset.cell : void 0;
}

// src/views/look.ts
var PAGE = 20;
var LookView = class {
  constructor(app) {
    this.app = app;
  }
  app;
  element = h("section", { class: "view look", "aria-labelledby": "look-title" });
  asking = new Asking();
  read = null;
  board = null;
  view = null;
  shares = [];
  shown = null;
  heat = null;
  total = 0n;
  first = 0n;
  at = 0n;
  by = "placements";
  pages = [];
  words = h("div", { class: "words" });
  place = h("input");
  leaf = h("div", { class: "leaf", hidden: true });
  stage = h("div", { class: "stage" });
  legend = heatLegend();
  enter() {
    const { puzzle } = this.app;
    if (!puzzle || puzzle === this.read) return;
    this.read = puzzle;
    this.build(puzzle);
    void this.count();
  }
  leave() {
    this.asking.stop();
  }
  build(read2) {
    const playable = read2.pips && read2.pips.cells.length <= MOST_SQUARES;
    this.board = playable ? boardOf(read2.pips) : null;
    this.view = this.board && new BoardView(this.board, `Solutions of ${read2.name}`, (square) => this.describe(square));
    this.view?.show({});
    this.shown = null;
    this.shares = [];
    this.words.replaceChildren();
    this.leaf.hidden = true;
    this.legend.hidden = true;
    this.stage.replaceChildren(this.view?.element ?? this.room(picture(read2.svg, `The puzzle ${read2.name}`)));
    this.element.replaceChildren(
      h(
        "header",
        { class: "head" },
        h("div", {}, h("h1", { id: "look-title" }, "All solutions"), h("p", { class: "by" }, read2.name))
      ),
      this.stage,
      h(
        "div",
        { class: "side" },
        h("div", { class: "panel" }, this.words, this.legend, this.asking.element),
        this.leaf
      )
    );
  }
  async count() {
    const read2 = this.read;
    const body = { puzzle: puzzleOf(read2), seconds: this.app.about.limits.seconds };
    const answer = await this.asking.ask("count", body, "Counting…");
    if (!answer || read2 !== this.read) return;
    this.words.replaceChildren(...countWords(answer, read2).map((line) => h("p", {}, line)));
    if (!answer.complete) return;
    this.by = read2.family === "pips" ? "placements" : "grids";
    this.total = this.countOf(answer, this.by);
    this.showHeat(answer);
    if (this.total > 0n) this.showLeaf(answer);
  }
  showHeat(answer) {
    if (this.board) {
      this.shares = this.board.squares.map(({ name }) => answer.cells[name]);
      this.draw();
    } else if (answer.svg)
      this.stage.replaceChildren(this.room(picture(answer.svg, "What each cell can be")));
  }
  room(...shown) {
    return h("div", { class: "board-room" }, ...shown);
  }
  showLeaf(answer) {
    if (!this.board && !this.gridded) return;
    this.heat = answer;
    const by = h(
      "select",
      { id: "by", "aria-label": "Two solutions differ by" },
      h("option", { value: "placements" }, "where dominoes lie"),
      h("option", { value: "grids" }, "numbers alone")
    );
    by.value = this.by;
    by.addEventListener("change", () => {
      this.by = by.value;
      this.total = this.countOf(answer, this.by);
      of.textContent = ` of ${this.total.toLocaleString("en")}`;
      this.pages = [];
      void this.go(0n);
    });
    const of = h("span", {}, ` of ${this.total.toLocaleString("en")}`);
    const place = this.place = h("input", {
      type: "text",
      inputmode: "numeric",
      id: "place",
      size: 8,
      value: "1"
    });
    place.addEventListener("change", () => {
      const wanted = place.value.replace(/\D/g, "");
      if (wanted) void this.go(BigInt(wanted) > this.total ? this.total - 1n : BigInt(wanted) - 1n);
    });
    const grids = this.board && answer.grids !== null && answer.grids !== answer.placements;
    this.pages = [];
    this.leaf.hidden = false;
    this.leaf.replaceChildren(
      h(
        "div",
        { class: "panel" },
        h("h2", {}, "One by one"),
        grids && h("p", {}, h("label", { for: "by" }, "Different: "), by),
        h("p", { class: "place" }, h("label", { for: "place" }, "Solution "), place, of),
        h(
          "div",
          { class: "choices" },
          button("Previous", () => void this.go(this.at - 1n)),
          button("Next", () => void this.go(this.at + 1n), { class: "strong" }),
          this.app.about.verbs.includes("sample") && button("One at random", () => void this.sample()),
          button("Most likely numbers", () => this.back())
        )
      )
    );
  }
  back() {
    this.shown = null;
    if (this.heat) this.showHeat(this.heat);
  }
  /** The puzzle, if it is a grid of cells that our picture can be written on. */
  get gridded() {
    const { read: read2 } = this;
    return read2?.grid && read2.picture ? read2 : null;
  }
  countOf(answer, by) {
    return BigInt(answer.exact?.[by] ?? answer[by] ?? 0);
  }
  async go(to) {
    if (to < 0n || to >= this.total) to = to < 0n ? this.total - 1n : 0n;
    if (!this.pages.length || to < this.first || to >= this.first + BigInt(this.pages.length)) {
      const first = to / BigInt(PAGE) * BigInt(PAGE);
      const body = {
        puzzle: puzzleOf(this.read),
        by: this.by,
        first: String(first),
        count: PAGE,
        seconds: this.app.about.limits.seconds
      };
      const answer = await this.asking.ask("solutions", body, "Listing…");
      if (!answer) return;
      this.first = first;
      this.pages = answer.solutions;
    }
    const found = this.pages[Number(to - this.first)];
    if (!found) return;
    this.at = to;
    this.place.value = (to + 1n).toString();
    this.showOne(found);
  }
  async sample() {
    const body = {
      puzzle: puzzleOf(this.read),
      count: 1,
      seed: null,
      seconds: this.app.about.limits.seconds
    };
    const answer = await this.asking.ask("sample", body, "Drawing one…");
    const found = answer?.solutions[0];
    if (!found) return;
    this.place.value = "";
    this.showOne(found);
  }
  showOne({ values, dominoes = [] }) {
    const { board, gridded } = this;
    if (gridded) {
      const table = new GridTable(gridded, null, null, { changed: () => void 0, hint: () => void 0 });
      table.tell(Object.entries(values).map(([cell, value]) => ({ cell, is: value })));
      this.stage.replaceChildren(table.element);
    }
    if (!board) return;
    let play = EMPTY;
    for (const pair of dominoes) {
      const [one, other] = squaresOf(board, pair);
      if (one === void 0 || other === void 0) continue;
      play = layPips(board, play, [one, other], [Number(values[pair[0]]), Number(values[pair[1]])]) ?? play;
    }
    const marks = dominoes.length ? {} : Object.fromEntries(board.squares.map(({ name }, square) => [square, Number(values[name])]));
    this.shown = { ...play, marks };
    this.draw();
  }
  draw() {
    this.legend.hidden = Boolean(this.shown) || !this.shares.some((values) => values);
    this.view?.show(this.shown ? { play: this.shown } : { shares: this.shares });
  }
  describe(square) {
    const { row, column } = this.board?.squares[square] ?? { row: 0, column: 0 };
    const where2 = `Row ${row + 1}, column ${column + 1}`;
    if (this.shown) {
      const laid = this.shown.laid.find(({ squares }) => squares.includes(square));
      const value = laid ? this.board?.dominoes[laid.domino]?.[laid.squares.indexOf(square)] : this.shown.marks[square];
      return `${where2}: ${value ?? "empty"}`;
    }
    const shares = Object.entries(this.shares[square] ?? {}).sort(([, a], [, b]) => b - a);
    return `${where2}: ${shares.map(([value, share]) => share >= 1 ? `always ${value}` : `${value} in ${percent(share)}`).join(", ")}`;
  }
};
function heatLegend() {
  return h(
    "p",
    { class: "soft", hidden: true },
    "Each square shows its most likely number, and how likely that is."
  );
}
function countWords(answer, read2) {
  const { placements = null, grids = null, complete, at_least } = answer;
  const counted = (n, word) => `${n.toLocaleString("en")} ${word}${n.toString() === "1" ? "" : "s"}`;
  const shown = (kind, word) => {
    const exact = answer.exact?.[kind];
    const n = exact === void 0 || exact === null ? answer[kind] ?? null : BigInt(exact);
    return n === null ? null : counted(n, word);
  };
  if (!complete) {
    const known = (kind, word) => {
      const least = at_least?.[kind];
      return shown(kind, word) ?? (least ? `at least ${counted(least, word)}` : null);
    };
    const bounds = [
      read2.family === "pips" ? known("placements", "placement") : null,
      known("grids", "grid")
    ].filter(Boolean);
    const bound = bounds.length ? `; ${bounds.join(" and ")}` : "";
    return [`The count is incomplete (${answer.stop ?? "limit"})${bound}.`];
  }
  if (placements === 0 || grids === 0) return ["There is no solution."];
  const both = [
    read2.family === "pips" ? shown("placements", "placement") : null,
    shown("grids", "grid")
  ].filter(Boolean);
  const only = placements === 1 || placements === null && grids === 1;
  const cells = Object.keys(answer.cells).length;
  const forced = Object.keys(answer.forced).length;
  return [
    only ? "There is one solution." : `${both.join(" and ")}.`,
    ...only || !cells ? [] : [
      `${plural(forced, "cell")} of ${cells} ${forced === 1 ? "takes" : "take"} one value in all of them.`
    ]
  ];
}

// src/views/verdict.ts
var PATIENCE = 5;
var PROPOSED = 4;
var Verdict = class {
  constructor(app, changed, draw) {
    this.app = app;
    this.changed = changed;
    this.draw = draw;
    this.heat.addEventListener("change", () => this.showHeat());
    this.element = h(
      "div",
      {},
      this.said,
      this.asking.element,
      h("p", { class: "check" }, this.heat, h("label", { for: "heat" }, "Show the most likely numbers")),
      this.legend
    );
  }
  app;
  changed;
  draw;
  element;
  /** By cell, how often it takes each value; while that is to be seen. */
  shares = null;
  pointed = null;
  cells = null;
  /** What the counts alone propose, until something better is found. */
  proposed = null;
  said = h("div", { class: "verdict", "aria-live": "polite" });
  asking = new Asking();
  heat = h("input", { type: "checkbox", id: "heat" });
  legend = heatLegend();
  stop() {
    this.asking.stop();
  }
  async look(drawing, read2) {
    this.cells = null;
    this.pointed = null;
    this.showHeat();
    if (!read2) return this.say([missing(drawing)]);
    const body = { puzzle: puzzleOf(read2), seconds: Math.min(PATIENCE, this.app.about.limits.seconds) };
    const answer = await this.asking.ask("count", body, "Counting…");
    if (!answer) return this.say([]);
    this.cells = answer.complete ? answer.cells : null;
    this.say(countWords(answer, read2));
    this.showHeat();
    if (!answer.complete) return;
    const solutions = BigInt(answer.exact?.placements ?? answer.placements ?? 0);
    if (solutions === 1n) return this.rate(body);
    if (solutions === 0n) await this.explain(body, read2.pips?.regions);
    else this.propose(answer, solutions);
    await this.add(body, drawing);
  }
  say(lines) {
    this.said.replaceChildren(...lines.map((line) => typeof line === "string" ? h("p", {}, line) : line));
  }
  showHeat() {
    this.shares = this.heat.checked ? this.cells : null;
    this.legend.hidden = !this.shares;
    this.changed();
  }
  async explain(body, regions = []) {
    if (!this.app.about.verbs.includes("explain")) return;
    const answer = await this.asking.ask(
      "explain",
      { ...body, reasons: 3 },
      "Finding out why…"
    );
    if (!answer?.reasons.length) return;
    const reasons = eachOnce2(answer.reasons);
    const list = reasons.map(
      (reason) => this.reason(asWritten(reason.sentence, regions), pointAtReason(reason))
    );
    this.pointed = pointAtReason(answer.reasons[0]);
    const repairs = namesOf(answer.repairs);
    const together = namesOf(answer.together ?? []);
    this.say([
      reasons.length === 1 ? "There is no solution, because:" : "There is no solution, for any of these reasons:",
      h("ul", { class: "reasons" }, ...list),
      ...repairs.length ? [`It would have one without ${anyOf(repairs)}.`] : [],
      ...together.length ? [`It would have one without ${anyOf(together, "and")} together; no fewer rules are enough.`] : []
    ]);
    this.changed();
  }
  async rate(body) {
    if (!this.app.about.verbs.includes("rate")) return;
    const answer = await askRating(this.asking, body);
    if (answer) this.said.append(h("p", {}, `To solve: ${ratingWords(answer)}`));
  }
  /** The smallest additions that leave one solution, each proved by counting. */
  async add(body, drawing) {
    if (!this.app.about.verbs.includes("explain")) return;
    const answer = await this.asking.ask(
      "explain",
      { ...body, reasons: 1, additions: PROPOSED },
      "Looking for changes that leave one…"
    );
    const changes = answer ? this.changes(answer, drawing) : [];
    if (changes.length) this.proposed?.remove();
    this.said.append(...changes);
  }
  /** The changes that leave one solution, each to be made by a click. */
  changes({ additions }, drawing) {
    const found = additions?.found ?? [];
    if (!found.length) return [];
    const list = found.map((addition) => {
      const { sentence: sentence2, rules, facts } = addition;
      const changed = rules.filter(({ label }) => label.startsWith("region"));
      const cells = [...changed.flatMap((rule) => rule.cells), ...facts.flatMap(cellsOf)];
      const line = this.reason(sentence2, { rule: cells, regions: regionsIn(sentence2) });
      const now = withChanges(drawing, addition);
      if (now) line.append(button("Do it", () => this.draw(now), { "aria-label": `Do it: ${sentence2}` }));
      return line;
    });
    return [h("p", {}, "Each of these changes leaves one solution:"), h("ul", { class: "reasons" }, ...list)];
  }
  reason(sentence2, at) {
    const point = () => {
      this.pointed = at;
      this.changed();
    };
    return h("li", {}, sentenceButton(sentence2, point));
  }
  /** The numbers that the fewest solutions have: with one of them given, so few would be left. */
  propose({ cells }, solutions) {
    if (solutions > 1000000000n) return;
    const total = Number(solutions);
    const choices = Object.entries(cells).flatMap(
      ([cell, values]) => Object.entries(values).map(([value, share]) => ({ cell, value, left: Math.round(share * total) }))
    );
    const best = choices.sort((a, b) => a.left - b.left)[0];
    if (!best || best.left >= total) return;
    const equal = choices.filter(({ left: left2 }) => left2 === best.left).slice(0, PROPOSED);
    const told = anyOf(equal.map(({ cell, value }) => `${cell} were ${value}`));
    const left = best.left === 1 ? "it would be the only one" : `${plural(best.left, "placement")} would be left`;
    this.proposed = h("p", {}, `If ${told}, ${left}.`);
    this.said.append(this.proposed);
    this.pointed = { rule: [...new Set(equal.map(({ cell }) => cell))] };
    this.changed();
  }
};
function askRating(asking, body) {
  return asking.ask("rate", body, "Thinking it through…", (part) => [
    `Thinking it through… it is at least ${part.at_least}.`,
    `${part.score} points, ${plural(part.steps, "step")} so far`
  ]);
}
function ratingWords({
  status,
  stop: stop2,
  grade,
  score,
  steps,
  description,
  at_least
}) {
  if (status === "infeasible") return "not rated, as there is no solution.";
  if (!grade || score === null || steps === null)
    return at_least ? `at least ${at_least}; not rated to the end (${stop2}).` : `not rated (${stop2}).`;
  return `${grade}, ${score} points: ${description}. ${plural(steps, "step")} of logic.`;
}
function missing(drawing) {
  const squares = squareCount(drawing);
  if (!squares) return "Paint some squares first.";
  if (squares % 2) return `${plural(squares, "square")}: an odd number, which no dominoes cover.`;
  const [label] = numberless(drawing);
  if (label) return `The rule of region ${label} has no number yet.`;
  const left = squares / 2 - drawing.dominoes.length;
  const n = plural(Math.abs(left), "domino", "dominoes");
  return left > 0 ? `${n} more, and it can be looked at.` : `${n} too many for ${plural(squares, "square")}.`;
}
function eachOnce2(reasons) {
  const first = /* @__PURE__ */ new Map();
  for (const reason of reasons) {
    const named2 = regionsIn(reason.sentence).sort().join(" ");
    if (!first.has(named2)) first.set(named2, reason);
  }
  return [...first.values()];
}
function namesOf(items) {
  return [...new Set(items.map(nameOf2))];
}
function nameOf2({ kind, label, pips }) {
  return kind === "dominoes" ? `the count of ${pips?.join("-")}` : label?.replace(/: (.*)/, " ($1)") ?? kind;
}
function anyOf(words, last = "or") {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
function refusal({ status, stop: stop2, confirmed_by }) {
  if (status === "unknown" || status === "error") return `No answer: ${stop2}.`;
  const what = status === "dead" ? "This board has no solution" : "There is no solution";
  return `${what}${confirmed_by ? "; a second method confirms that" : ""}.`;
}
function solutionsWords({ solutions, at_least }) {
  if (solutions === 1) return "; it is the only solution";
  if (solutions) return `; one of ${solutions.toLocaleString("en")}`;
  return at_least > 1 ? "; one of several" : "";
}

// src/views/draw.ts
var QUIET = 350;
var DrawView = class {
  constructor(app) {
    this.app = app;
    this.history = new History(keptDrawing(setting("drawing")) ?? blank());
    this.verdict = new Verdict(
      app,
      () => this.drawBoard(),
      (drawing) => this.change(drawing)
    );
    this.box = new DominoBox((dominoes) => this.change({ ...this.drawing, dominoes }));
    this.name.addEventListener(
      "change",
      () => this.change({ ...this.drawing, name: this.name.value.trim() || "drawn" })
    );
    const material = h(
      "div",
      { class: "material" },
      h("h2", {}, "Paint with"),
      this.brushes.element,
      this.box.element
    );
    this.element.append(this.head(), this.stage(), material, this.side());
    this.element.addEventListener("keydown", (event) => this.undoKey(event));
    this.show();
  }
  app;
  element = h("section", { class: "view draw", "aria-labelledby": "draw-title" });
  history;
  view = null;
  room = h("div");
  brushes = new Brushes((drawing) => this.change(drawing));
  verdict;
  box;
  doubts = new Doubts(() => this.drawBoard());
  asking = new Asking();
  name = h("input", { type: "text", id: "drawing-name", maxlength: 60 });
  rows = this.sizeInput("rows");
  columns = this.sizeInput("columns");
  undo = button("Undo", () => this.history.undo() && this.redrawn());
  redo = button("Redo", () => this.history.redo() && this.redrawn());
  waiting = 0;
  enter() {
    this.look();
  }
  leave() {
    clearTimeout(this.waiting);
    this.verdict.stop();
    this.asking.stop();
  }
  get drawing() {
    return this.history.state;
  }
  head() {
    const copy = () => {
      const { puzzle } = this.app;
      const drawing = puzzle?.pips && drawingOf(puzzle.pips, puzzle.name);
      if (drawing) this.change(drawing);
      else this.asking.say("The current puzzle cannot be drawn here.");
    };
    return h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", { id: "draw-title" }, "Draw your own"),
        h("p", { class: "by" }, "Paint squares and regions, give them rules, add dominoes.")
      ),
      h(
        "div",
        { class: "choices" },
        button(
          "Play it",
          this.withRead((read2) => this.app.open(read2)),
          { class: "strong" }
        ),
        button("From a screenshot", () => this.app.pickPicture()),
        button("Copy the current puzzle", copy),
        button("Clear", () => {
          this.doubts.forget();
          this.change(blank());
        })
      ),
      this.doubts.element,
      this.asking.element
    );
  }
  stage() {
    const tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Drawing" },
      this.undo,
      this.redo,
      h("label", {}, "Rows ", this.rows),
      h("label", {}, "columns ", this.columns)
    );
    return h("div", { class: "stage" }, tools, this.room);
  }
  side() {
    const save = async (to, type, suffix) => {
      const read2 = this.read();
      if (!read2) return;
      const made = await this.asking.ask(
        "convert",
        { puzzle: puzzleOf(read2), to },
        "Writing…"
      );
      if (made) download(fileName(read2.name, suffix), made.text, type);
    };
    return h(
      "div",
      { class: "side" },
      h(
        "div",
        { class: "panel" },
        h("h2", {}, "Keep it"),
        h("p", {}, h("label", { for: "drawing-name" }, "Name "), this.name),
        h(
          "div",
          { class: "choices" },
          button(
            "Save as text",
            this.withRead((read2) => download(fileName(read2.name, "txt"), read2.text))
          ),
          button("Save as JSON", () => void save("json", "application/json", "json")),
          button("Save the picture", () => void save("svg", "image/svg+xml", "svg")),
          button(
            this.app.address ? "Link" : "Send it",
            this.withRead((read2) => void this.link(read2))
          )
        )
      ),
      // the last, since it grows when the answer comes: buttons below it would move away under a click
      h("div", { class: "panel" }, h("h2", {}, "Result"), this.verdict.element)
    );
  }
  async link({ name, family, text }) {
    const { address } = this.app;
    const shown = await sharedField(address, { name, family, text, board: null });
    this.asking.say(sharedWords(address));
    this.asking.element.append(shown);
  }
  read() {
    return readOf(this.drawing);
  }
  withRead(use) {
    return () => {
      const read2 = this.read();
      if (read2) use(read2);
      else this.asking.say(missing(this.drawing));
    };
  }
  /** Takes a drawing that was read from a picture. */
  take(drawing, draft) {
    this.change(drawing);
    this.doubts.show(draft);
  }
  // changes
  change(drawing) {
    this.history.push(drawing);
    this.redrawn();
  }
  redrawn() {
    keepSetting("drawing", JSON.stringify(this.drawing));
    this.show();
    this.look();
  }
  look() {
    clearTimeout(this.waiting);
    this.verdict.stop();
    this.waiting = window.setTimeout(() => void this.verdict.look(this.drawing, this.read()), QUIET);
  }
  undoKey(event) {
    if (!event.ctrlKey && !event.metaKey || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    const back = key === "z" && !event.shiftKey;
    if (!back && key !== "y" && key !== "z") return;
    event.preventDefault();
    if (back ? this.history.undo() : this.history.redo()) this.redrawn();
  }
  stroke(square, paint = this.brushes.paint) {
    const { row, column } = this.view?.board.squares[square] ?? { row: -1, column: -1 };
    const now = this.drawing.squares[row]?.[column];
    const wanted = paint.kind === "hole" ? "." : paint.kind === "free" ? "#" : paint.label;
    if (now === void 0 || now === wanted) return;
    this.change(painted(this.drawing, row, column, paint));
    announce(this.describe(square));
  }
  // the board
  show() {
    const { rows: rows2, columns, name, dominoes } = this.drawing;
    if (!this.view || this.view.board.rows !== rows2 || this.view.board.columns !== columns) this.makeBoard();
    this.rows.value = String(rows2);
    this.columns.value = String(columns);
    this.name.value = name;
    this.undo.disabled = !this.history.canUndo;
    this.redo.disabled = !this.history.canRedo;
    this.brushes.show(this.drawing);
    this.box.show(dominoes, squareCount(this.drawing));
    this.drawBoard();
  }
  makeBoard() {
    this.view = new BoardView(
      boardOf(dataOf(this.drawing, true)),
      "Board that is drawn on",
      (square) => this.describe(square)
    );
    const { grid } = this.view;
    let painting = null;
    const under = (event) => this.view?.place(event.clientX, event.clientY).square ?? null;
    grid.addEventListener("pointerdown", (event) => {
      const square = event.button === 0 ? under(event) : null;
      if (square === null) return;
      painting = this.isPainted(square) ? { kind: "hole" } : this.brushes.paint;
      grid.setPointerCapture(event.pointerId);
      this.stroke(square, painting);
    });
    grid.addEventListener("pointermove", (event) => {
      const square = painting && under(event);
      if (painting && square !== null) this.stroke(square, painting);
    });
    for (const end of ["pointerup", "pointercancel"]) grid.addEventListener(end, () => painting = null);
    grid.addEventListener("keydown", (event) => {
      const square = this.view?.squareOf(event.target) ?? null;
      if (square === null || event.ctrlKey || event.metaKey) return;
      if (event.key === " " || event.key === "Enter")
        this.stroke(square, this.isPainted(square) ? { kind: "hole" } : this.brushes.paint);
      else if (event.key === "Delete" || event.key === "Backspace") this.stroke(square, { kind: "hole" });
      else return;
      event.preventDefault();
    });
    this.room.replaceChildren(this.view.element);
  }
  isPainted(square) {
    const { row, column } = this.view?.board.squares[square] ?? { row: -1, column: -1 };
    const label = this.drawing.squares[row]?.[column];
    return this.brushes.paint.kind === "free" ? label === "#" : this.brushes.paint.kind === "region" ? label === this.brushes.paint.label : label === ".";
  }
  drawBoard() {
    const { view, drawing } = this;
    if (!view) return;
    const board = boardOf(dataOf(drawing, true));
    const holes = new Set(
      board.squares.flatMap(({ row, column }, i) => drawing.squares[row]?.[column] === "." ? [i] : [])
    );
    view.redraw(board, holes);
    const { shares } = this.verdict;
    const { cells: doubted } = this.doubts;
    const pointed = this.verdict.pointed ?? (doubted.length ? {} : null);
    view.show({
      shares: shares && board.squares.map(({ name }) => shares[name]),
      lit: pointed && {
        regions: pointed.regions,
        rule: squaresOf(board, pointed.rule ?? []),
        wrong: squaresOf(board, [...pointed.wrong ?? [], ...doubted])
      },
      numbered: pointed?.numbered ?? false
    });
  }
  describe(square) {
    const { row, column, name } = this.view?.board.squares[square] ?? { row: 0, column: 0, name: "" };
    const label = this.drawing.squares[row]?.[column];
    const what = label === "." ? "no square" : label === "#" ? "square without a rule" : `region ${label}`;
    const shares = Object.entries(this.verdict.shares?.[name] ?? {}).sort(([, a], [, b]) => b - a);
    const heat = shares.map(([value, share]) => share >= 1 ? `always ${value}` : `${value} in ${percent(share)}`).join(", ");
    return `Row ${row + 1}, column ${column + 1}: ${what}${heat && `; ${heat}`}`;
  }
  sizeInput(id) {
    const input = h("input", { type: "number", id, min: 1, max: MOST_LINES2 });
    input.addEventListener("change", () => {
      const size = (wanted, now) => Math.min(Math.max(Math.round(Number(wanted)) || now, 1), MOST_LINES2);
      const { rows: rows2, columns } = this.drawing;
      this.change(resized(this.drawing, size(this.rows.value, rows2), size(this.columns.value, columns)));
      announce(plural(this.drawing.rows, "row") + plural(this.drawing.columns, ", column", ", columns"));
    });
    return input;
  }
};

// src/parts/paper.ts
var ON_A_SHEET = 4;
function printSheet(puzzles) {
  const sheet = h("section", { class: "paper" }, ...puzzles.map(({ title, read: read2 }) => quarter(title, read2)));
  document.querySelector(".paper")?.remove();
  document.body.append(sheet);
  window.addEventListener("afterprint", () => sheet.remove(), { once: true });
  window.print();
}
function quarter(title, { pips, svg }) {
  const large = !pips || pips.cells.length > MOST_SQUARES;
  return h(
    "figure",
    {},
    h("figcaption", {}, title),
    large ? picture(svg, "") : BoardView.picture(boardOf(pips)),
    pips && h("div", { class: "dominoes" }, ...pips.dominoes.map((pair) => dominoPicture(pair)))
  );
}

// src/views/end.ts
var EndPanel = class {
  element = h("section", { class: "panel end sheet", hidden: true, "aria-label": "Solved" });
  /** Shows a finish, with more `choices`; one that counts can be shared. */
  show(read2, seconds, hints, counts, choices) {
    const took = `Every rule holds. It took ${clock(seconds)}.`;
    this.element.replaceChildren(
      h("h2", {}, "Solved"),
      h("p", {}, took),
      h("div", { class: "choices" }, ...choices),
      counts ? this.sharing(read2, seconds, hints) : h("p", { class: "soft" }, "Its steps were shown, so it does not count.")
    );
    this.element.hidden = false;
    window.scrollTo(0, 0);
    announce(`Solved. ${took}`);
  }
  hide() {
    this.element.hidden = true;
  }
  sharing({ name, day, pips }, seconds, hints) {
    const title = day ? `${dateWords(day.date)}, ${day.level}` : name;
    const text = shareText(title, seconds, hints, pips ? boardOf(pips) : null);
    const said = h("p", { role: "status" });
    const shown = h("pre", { class: "result", tabindex: 0, "aria-label": "Text to be shared" }, text);
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = "Copied.";
      } catch {
        getSelection()?.selectAllChildren(shown);
        said.textContent = "This browser does not let the page copy: the text is selected.";
      }
    };
    return h(
      "div",
      {},
      shown,
      button("Copy the result", () => void copy()),
      said
    );
  }
};

// src/ask/types.ts
var DEGREES = ["where", "rule", "why", "move"];

// src/views/table.ts
function focusBoard(table) {
  table.element.querySelector('[role="gridcell"][tabindex="0"]')?.focus({ preventScroll: true });
}

// src/views/hint.ts
var MORE = { where: "", rule: "Which rule?", why: "Why?", move: "What follows?" };
var HintPanel = class {
  constructor(read2, table, seconds, solved) {
    this.read = read2;
    this.table = table;
    this.seconds = seconds;
    this.solved = solved;
    this.element.append(h("h2", {}, "Hint"), this.words, this.asking.element, this.choices);
  }
  read;
  table;
  seconds;
  solved;
  element = h("section", { class: "panel hint sheet", hidden: true, "aria-label": "Hint" });
  asking = new Asking();
  words = h("div", { class: "words" });
  choices = h("div", { class: "choices" });
  answer = null;
  /** How many hints were asked for. */
  count = 0;
  /** Asks where to look next. */
  async begin(counts = true) {
    if (counts) this.count++;
    this.answer = null;
    await this.reveal("where");
  }
  close() {
    this.asking.stop();
    if (this.element.hidden) return;
    this.table.point(null);
    this.answer = null;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.words.replaceChildren();
    this.choices.replaceChildren();
    if (focused) focusBoard(this.table);
  }
  /** Goes on as the first of the choices says, or begins. */
  async goFurther() {
    const first = this.element.hidden ? null : this.choices.querySelector(".strong");
    if (first) first.click();
    else await this.begin();
  }
  async reveal(degree) {
    this.element.hidden = false;
    window.scrollTo(0, 0);
    const body = {
      puzzle: puzzleOf(this.read),
      board: this.table.board(),
      reveal: degree,
      hinted: this.table.hinted(),
      seconds: this.seconds
    };
    let known = "";
    const answer = await this.asking.ask(
      "hint",
      body,
      "Looking for the next step…",
      ({ sentence: sentence2, cell }) => {
        known = sentence2;
        if (!this.answer) this.table.point({ rule: [cell], numbered: true });
        return [`${sentence2} Looking for a long one…`, ""];
      }
    );
    if (!answer) {
      if (!this.answer && !this.element.hidden && !this.asking.isRunning)
        this.say(known ? [known] : [], [this.closer()]);
      return null;
    }
    this.answer = answer;
    this.show(answer);
    return answer;
  }
  show(answer) {
    const { step, reason } = answer;
    if (step) {
      this.table.point(pointAtStep(step, this.read, answer.look));
      const told = answer.remark ? [step.sentence, answer.remark] : [step.sentence];
      this.say(told, this.degrees(answer.reveal, step));
    } else if (reason && (answer.status === "wrong" || answer.status === "dead")) this.showReason(answer);
    else if (answer.status === "solved") void this.finish();
    else if (answer.status === "several")
      this.say(["Nothing more follows: several ways remain, and each leads to a solution."], [this.closer()]);
    else this.say([`No hint was found (${answer.stop}).`], [this.closer()]);
  }
  showReason({ status, reason }) {
    if (!reason) return;
    this.table.point(pointAtReason(reason));
    const moves = reason.items.filter(({ kind }) => kind === "move").flatMap(({ cells }) => cells ?? []);
    const verdict = moves.length === 0 ? "The puzzle itself has no solution." : status === "wrong" ? "Something on the board is wrong." : "No rule is broken yet, but from here there is no way to a solution.";
    this.say(
      [verdict, asWritten(reason.sentence, this.read.pips?.regions)],
      [
        moves.length > 0 && button(
          this.table.piecesOn(moves) === 1 ? "Take it back" : "Take these back",
          () => this.takeBack(moves),
          { class: "strong" }
        ),
        this.closer()
      ]
    );
  }
  /** How to go on: more of the step, or what can be done once it is told. */
  degrees(now, step) {
    const next2 = DEGREES[DEGREES.indexOf(now) + 1];
    if (next2 !== void 0)
      return [
        button(MORE[next2], () => void this.reveal(next2), { class: "strong" }),
        button("Do it for me", () => void this.apply()),
        this.closer()
      ];
    const conclusions = step.conclusions ?? [];
    return [
      conclusions.some(isShown) ? button("Write it on the board", () => void this.apply(), { class: "strong" }) : button("Next hint", () => void this.goOn(conclusions), { class: "strong" }),
      this.closer()
    ];
  }
  /** Takes for known what cannot be written down, and asks for what follows then. */
  async goOn(conclusions) {
    this.table.conclude(conclusions);
    await this.begin();
  }
  async apply() {
    const answer = this.answer?.reveal === "move" ? this.answer : await this.reveal("move");
    if (!answer?.step?.conclusions) return;
    const { sentence: sentence2, conclusions } = answer.step;
    const shows = conclusions.some(isShown);
    const focused = this.element.contains(document.activeElement);
    this.table.conclude(conclusions);
    if (this.table.isDone === true) return;
    this.answer = answer;
    this.element.hidden = false;
    this.table.point(pointAtStep(answer.step, this.read));
    this.say(
      [
        sentence2,
        shows ? "It is on the board." : "You cannot write this down yet; the next hint continues from here."
      ],
      [button("Next hint", () => void this.begin(), { class: "strong" }), this.closer()]
    );
    if (focused) this.choices.querySelector("button")?.focus();
  }
  /** Every number is known; the dominoes under them are laid, if they are not yet. */
  async finish() {
    if (!this.table.isFull) {
      const body = { puzzle: puzzleOf(this.read), board: this.table.board(), seconds: this.seconds };
      const answer = await this.asking.ask("solve", body, "Laying the dominoes…");
      if (answer?.status !== "solved") return;
      this.table.fill(answer);
    }
    this.close();
    this.solved();
  }
  takeBack(cells) {
    this.table.clear(cells);
    this.close();
  }
  closer() {
    return button("Close", () => this.close());
  }
  say(lines, choices) {
    this.words.replaceChildren(...lines.map((line) => h("p", {}, ...worded(line))));
    const focused = this.choices.contains(document.activeElement);
    this.choices.replaceChildren(...choices.filter((choice) => Boolean(choice)));
    if (focused) this.choices.querySelector("button")?.focus();
    announce(lines.join(" "));
  }
};
function isShown(fact) {
  return "is" in fact || "domino" in fact && fact.domino;
}

// src/views/levels.ts
var PANEL = "stage";
function asPanel(element, { level }) {
  element.id = PANEL;
  element.setAttribute("role", "tabpanel");
  element.setAttribute("aria-labelledby", `tab-${level}`);
  return element;
}
function levelTabs({ date, level }, open) {
  const all = finishes();
  const tabs = LEVELS.map((name) => {
    const solved = Boolean(all[dayKey({ date, level: name })]);
    const here = name === level;
    const tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-selected": String(here),
        tabindex: here ? 0 : -1
      },
      name.replace(/^./, (first) => first.toUpperCase()),
      solved && h(
        "span",
        { class: "tick" },
        h("span", { "aria-hidden": "true" }, " ✓"),
        h("span", { class: "unseen" }, ", solved")
      )
    );
    if (here) tab.setAttribute("aria-controls", PANEL);
    tab.addEventListener("click", () => open({ date, level: name }));
    return tab;
  });
  const list = h(
    "div",
    { class: "tabs", role: "tablist", "aria-label": `Levels of ${dateWords(date)}` },
    ...tabs
  );
  list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = LEVELS.findIndex((name) => name === level);
    if (by) open({ date, level: LEVELS[(at + by + 3) % 3] });
  });
  return list;
}
function dayButtons({ date, level }, days, open) {
  const at = days.indexOf(date);
  const other = (day, label, sign) => day && button(sign, () => open({ date: day, level }), {
    "aria-label": `${label}, ${dateWords(day)}`,
    class: "icon"
  });
  return h(
    "div",
    { class: "beside" },
    other(days[at - 1], "Day before", "‹"),
    other(days[at + 1], "Day after", "›")
  );
}
function following({ date, level }, days) {
  const all = finishes();
  const open = (day, levels) => levels.find((name) => !all[dayKey({ date: day, level: name })]);
  const at = LEVELS.findIndex((name) => name === level);
  const here = open(date, [...LEVELS.slice(at + 1), ...LEVELS.slice(0, at)]);
  if (here) return { date, level: here };
  const next2 = days[days.indexOf(date) + 1];
  return next2 ? { date: next2, level: open(next2, LEVELS) ?? LEVELS[0] } : null;
}

// src/views/picture-table.ts
var PictureTable = class {
  constructor(read2) {
    this.read = read2;
    this.element = h("div", { class: "table" });
    this.show(read2.svg);
  }
  read;
  element;
  canUndo = false;
  canRedo = false;
  isFull = false;
  isDone = null;
  show(svg) {
    this.element.replaceChildren(
      h("div", { class: "board-room" }, picture(svg, `The puzzle ${this.read.name}`))
    );
  }
  board() {
    return null;
  }
  hinted() {
    return [];
  }
  fill({ svg }) {
    if (svg) this.show(svg);
  }
  piecesOn() {
    return 0;
  }
  clear() {
    this.show(this.read.svg);
  }
  conclude() {
  }
  point() {
  }
  tell() {
  }
  undo() {
  }
  redo() {
  }
  kept() {
    return null;
  }
};

// src/model/kept.ts
function readKept(board, kept2) {
  if (!isObject(kept2) || !Array.isArray(kept2.past) || !Array.isArray(kept2.future)) return null;
  const states = [...kept2.past, kept2.now, ...kept2.future].map((state2) => readPlay(board, state2));
  if (states.some((state2) => state2 === null)) return null;
  const whole = states;
  const at = kept2.past.length;
  return History.from({ past: whole.slice(0, at), now: whole[at], future: whole.slice(at + 1) });
}
function readPlay(board, state2) {
  if (!isObject(state2) || !Array.isArray(state2.laid) || !Array.isArray(state2.outlines) || !isObject(state2.marks))
    return null;
  let play = EMPTY;
  for (const laid of state2.laid) {
    if (!isObject(laid) || !isSide(board, laid.squares) || !board.dominoes[Number(laid.domino)]) return null;
    play = lay(board, play, Number(laid.domino), laid.squares);
  }
  const marks = {};
  for (const [square, value] of Object.entries(state2.marks))
    if (board.squares[Number(square)] && typeof value === "number") marks[Number(square)] = value;
  const outlines = state2.outlines.filter((pair) => isSide(board, pair));
  const hinted = Array.isArray(state2.hinted) ? state2.hinted : [];
  return { ...play, marks, outlines, hinted };
}
function readLaid(board, text) {
  let play = EMPTY;
  const found = text.matchAll(/^(\d\d?)-(\d\d?) (r\d+c\d+) (r\d+c\d+)$/gm);
  for (const [, a, b, one, other] of [...found].slice(0, board.dominoes.length)) {
    const squares = squaresOf(board, [one, other]);
    const domino2 = board.dominoes.findIndex(
      (pips, i) => pips[0] === Number(a) && pips[1] === Number(b) && !play.laid.some((laid) => laid.domino === i)
    );
    if (domino2 >= 0 && isSide(board, squares)) play = lay(board, play, domino2, squares);
  }
  return play;
}
function isSide(board, pair) {
  return Array.isArray(pair) && pair.length === 2 && [0, 1, 2, 3].some((direction) => beside(board, Number(pair[0]), direction) === pair[1]);
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}

// src/model/rules.ts
function standings(board, play) {
  const rest = board.dominoes.flatMap((pips, domino2) => isLaid(play, domino2) ? [] : pips).sort((a, b) => a - b);
  return board.regions.map((region) => {
    const values = squaresOf(board, region.cells).map((square) => pipsAt(board, play, square));
    const laid = values.filter((value) => value !== null);
    const left = values.length - laid.length;
    const sum = laid.reduce((total, value) => total + value, 0);
    return { standing: standing(region, laid, left, rest), sum, left };
  });
}
function isDone(board, play) {
  return play.laid.length === board.dominoes.length && standings(board, play).every(({ standing: standing2 }) => standing2 === "holds");
}
function standing({ rule }, laid, left, rest) {
  const total = (values) => values.reduce((sum, value) => sum + value, 0);
  const least = total(laid) + total(rest.slice(0, left));
  const most = total(laid) + total(left ? rest.slice(-left) : []);
  const possible = kindOf(rule).possible({ laid, left, rest, least, most }, rule.value ?? 0);
  return !possible ? "broken" : left === 0 ? "holds" : "open";
}

// src/parts/drag.ts
var SLOP = 6;
function watchForDrag(element, begin) {
  element.addEventListener("pointerdown", (down) => {
    if (!down.isPrimary || down.button !== 0) return;
    let carrying = null;
    const leaving = new AbortController();
    const { signal } = leaving;
    const lift = down.pointerType === "touch" ? 36 : 0;
    const move = (event) => {
      if (event.pointerId !== down.pointerId) return;
      if (!carrying) {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < SLOP) return;
        carrying = begin(down);
        if (!carrying) return finish();
        document.body.append(carrying.image);
        document.body.classList.add("carrying");
      }
      event.preventDefault();
      carrying.image.style.translate = `${event.clientX}px ${event.clientY - lift}px`;
      carrying.over(event.clientX, event.clientY - lift);
    };
    const finish = () => {
      leaving.abort();
      document.body.classList.remove("carrying");
      carrying?.image.remove();
      carrying?.end();
    };
    const up = (event) => {
      if (event.pointerId !== down.pointerId) return;
      if (carrying) {
        swallowClick();
        carrying.drop(event.clientX, event.clientY - lift);
      }
      finish();
    };
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", up, { signal });
    window.addEventListener("pointercancel", finish, { signal });
    window.addEventListener("keydown", (event) => event.key === "Escape" && finish(), { signal });
  });
}
function swallowClick() {
  const swallow = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 50);
}

// src/parts/spoken.ts
function dominoName(board, domino2) {
  return (board.dominoes[domino2] ?? []).join("-");
}
function squareWords(board, play, now, square) {
  const { row, column, region } = board.squares[square] ?? { row: 0, column: 0, region: null };
  const laid = laidAt(play, square);
  const what = laid ? `${pipsAt(board, play, square)} of ${dominoName(board, laid.domino)}` : openWords(board, play, square);
  return `Row ${row + 1}, column ${column + 1}: ${what}${regionWords(board, now, region)}`;
}
function regionNews(board, now, squares) {
  const regions = new Set(squares.map((square) => board.squares[square]?.region ?? null));
  return [...regions].map((region) => region === null ? "" : regionWords(board, now, region)).join("");
}
function openWords(board, play, square) {
  const mark = play.marks[square];
  const other = play.outlines.find((pair) => pair.includes(square))?.find((one) => one !== square);
  const pencilled = mark === void 0 ? "empty" : `${mark} in pencil`;
  return other === void 0 ? pencilled : `${pencilled}, shares a domino with ${placeOf(board, [other])}`;
}
function regionWords(board, now, region) {
  const data = region === null ? void 0 : board.regions[region];
  const state2 = now[region ?? -1];
  if (!data || !state2 || data.rule.kind === "empty") return "; no rule";
  const left = state2.left === 1 ? "1 square left" : `${state2.left} squares left`;
  const how = { holds: "holds", broken: "broken", open: left }[state2.standing];
  return `; region ${data.label}, ${ruleWords(data.rule)}, ${how}`;
}

// src/parts/tray.ts
var POINTS = ["right", "down", "left", "up"];
var LARGE = 20;
var Tray = class {
  constructor(board, take) {
    this.take = take;
    this.buttons = board.dominoes.map((pips, domino2) => this.makeButton(pips, domino2));
    const { length } = board.dominoes;
    this.element.classList.toggle("large", length > LARGE);
    this.element.style.setProperty("--across", String(length > 8 ? 5 : 4));
    this.element.style.setProperty("--beside", String(Math.min(Math.ceil(length / 8), 4)));
    this.element.append(...this.buttons.map((button2) => h("li", {}, button2)));
  }
  take;
  element = h("ul", { class: "tray", "aria-label": "Dominoes to lay" });
  buttons;
  show(play, hand) {
    this.buttons.forEach((button2, domino2) => {
      const held = hand?.domino === domino2;
      button2.hidden = isLaid(play, domino2);
      button2.setAttribute("aria-pressed", String(held));
      button2.style.setProperty("--turn", String(held ? hand.turn : 0));
      const said = held ? `, in hand, points ${POINTS[hand.turn & 3]}` : "";
      button2.setAttribute("aria-label", `${button2.dataset.pips}${said}`);
    });
    this.element.classList.toggle(
      "empty",
      this.buttons.every((button2) => button2.hidden)
    );
  }
  dominoOf(target) {
    const domino2 = target instanceof Element ? this.buttons.indexOf(target.closest("button")) : -1;
    return domino2 < 0 ? null : domino2;
  }
  focus(domino2) {
    this.buttons[domino2]?.focus();
  }
  makeButton([a, b], domino2) {
    const button2 = h(
      "button",
      { type: "button", class: "tray-domino", "data-pips": `${a}-${b}` },
      dominoPicture([a, b])
    );
    button2.addEventListener("click", () => this.take(domino2));
    return button2;
  }
};

// src/views/pips-table.ts
var PipsTable = class {
  constructor(read2, kept2, board, events) {
    this.events = events;
    this.puzzle = boardOf(read2.pips);
    this.history = readKept(this.puzzle, kept2) ?? new History(EMPTY);
    if (board) this.history.push(readLaid(this.puzzle, board));
    this.view = new BoardView(this.puzzle, `Board of ${read2.name}`, (square) => this.describe(square));
    this.tray = new Tray(this.puzzle, (domino2) => this.take(domino2));
    this.element = h("div", { class: "table" }, this.view.element, this.tray.element);
    this.listen();
    this.draw();
  }
  events;
  element;
  puzzle;
  history;
  view;
  tray;
  hand = null;
  over = null;
  carried = null;
  pointed = null;
  shown = null;
  now = [];
  get play() {
    return this.shown ?? this.history.state;
  }
  // what the shell asks
  board() {
    return boardText(this.puzzle, this.history.state);
  }
  hinted() {
    return this.history.state.hinted;
  }
  conclude(facts) {
    const play = this.history.state;
    this.change(conclude(this.puzzle, { ...play, hinted: [...play.hinted, ...facts] }, facts));
  }
  piecesOn(cells) {
    const play = this.history.state;
    const pieces = squaresOf(this.puzzle, cells).map((square) => laidAt(play, square) ?? square);
    return new Set(pieces).size;
  }
  clear(cells) {
    const play = this.history.state;
    if (!cells) return this.change(EMPTY);
    const squares = squaresOf(this.puzzle, cells);
    const marks = { ...play.marks };
    for (const square of squares) delete marks[square];
    this.change({ ...takeBack(play, squares), marks });
  }
  fill({ dominoes = [] }) {
    let play = EMPTY;
    for (const { pips, cells } of dominoes) {
      const names = cells.map((cell) => typeof cell === "string" ? cell : `r${cell[0] + 1}c${cell[1] + 1}`);
      const [one, other] = squaresOf(this.puzzle, names);
      if (one !== void 0 && other !== void 0)
        play = layPips(this.puzzle, play, [one, other], pips) ?? play;
    }
    this.change(play);
  }
  point(at) {
    this.pointed = at;
    this.draw();
  }
  tell(facts) {
    this.shown = facts && conclude(this.puzzle, EMPTY, facts);
    this.hand = null;
    this.element.classList.toggle("hinted", Boolean(facts));
    this.draw();
  }
  undo() {
    if (this.history.undo()) this.changed(() => "undone");
  }
  redo() {
    if (this.history.redo()) this.changed(() => "done again");
  }
  get canUndo() {
    return this.history.canUndo;
  }
  get canRedo() {
    return this.history.canRedo;
  }
  get isFull() {
    return this.history.state.laid.length === this.puzzle.dominoes.length;
  }
  get isDone() {
    return isDone(this.puzzle, this.history.state);
  }
  kept() {
    return this.history.kept();
  }
  // moves
  /** Makes a move, and says so in words that are made once it shows. */
  change(play, say = () => "") {
    this.history.push(play);
    this.changed(say);
  }
  changed(say) {
    this.hand = null;
    this.pointed = null;
    this.draw();
    const said = say();
    if (said) announce(said);
    this.events.changed();
  }
  take(domino2) {
    if (this.shown) return;
    if (this.hand?.domino === domino2) return this.turnHand();
    this.hand = { domino: domino2, turn: 0, half: 0 };
    this.draw();
    announce(`${this.pipsOf(domino2)} in hand, points right`);
  }
  turnHand() {
    if (!this.hand) return;
    this.hand = { ...this.hand, turn: this.hand.turn + 1 & 3 };
    this.draw();
    announce(`points ${POINTS[this.hand.turn]}`);
  }
  layAt(square) {
    if (!this.hand) return;
    const squares = fitting(this.puzzle, this.history.state, this.hand, square);
    if (squares) this.layOn(this.hand.domino, squares);
    else announce("no room there");
  }
  layOn(domino2, squares) {
    const play = lay(this.puzzle, this.history.state, domino2, squares);
    this.change(
      play,
      () => `${this.pipsOf(domino2)} laid on ${placeOf(this.puzzle, squares)}${this.news(squares)}`
    );
  }
  takeBackAt(square) {
    const { state: state2 } = this.history;
    const laid = laidAt(state2, square);
    if (laid) return this.change(takeBack(state2, [square]), () => `${this.pipsOf(laid.domino)} taken back`);
    if (state2.marks[square] === void 0) return;
    const { [square]: _, ...marks } = state2.marks;
    this.change({ ...state2, marks }, () => "number rubbed out");
  }
  turnAt(square) {
    const play = turnLaid(this.puzzle, this.history.state, square);
    const laid = play && laidAt(play, square);
    if (!laid) return;
    const { domino: domino2, squares } = laid;
    this.change(
      play,
      () => `${this.pipsOf(domino2)} turned, on ${placeOf(this.puzzle, squares)}${this.news(squares)}`
    );
  }
  liftAt(square) {
    const laid = laidAt(this.history.state, square);
    if (!laid) return;
    const turn = directionOf(this.puzzle, laid.squares);
    this.change(takeBack(this.history.state, [square]));
    this.hand = { domino: laid.domino, turn, half: laid.squares[0] === square ? 0 : 1 };
    this.draw();
    announce(`${this.pipsOf(laid.domino)} in hand`);
  }
  /** Takes the next domino that brings so many pips to a square. */
  takeWith(pips, square) {
    const having = this.puzzle.dominoes.flatMap(
      (pair, domino3) => pair.includes(pips) && !isLaid(this.history.state, domino3) ? [domino3] : []
    );
    if (!having.length) return announce(`no domino with ${pips} is left`);
    const domino2 = having[(having.indexOf(this.hand?.domino ?? -1) + 1) % having.length];
    const half2 = this.puzzle.dominoes[domino2]?.[0] === pips ? 0 : 1;
    const squares = fitting(this.puzzle, this.history.state, { domino: domino2, turn: 0, half: half2 }, square);
    this.hand = { domino: domino2, turn: squares ? directionOf(this.puzzle, squares) : 0, half: half2 };
    this.draw();
    announce(`${this.pipsOf(domino2)} in hand, points ${POINTS[this.hand.turn]}`);
  }
  // pointer and keys
  listen() {
    const { grid } = this.view;
    grid.addEventListener("click", (event) => {
      const square = this.view.squareOf(event.target);
      if (square === null || this.shown) return;
      if (this.hand) this.layAt(square);
      else if (laidAt(this.history.state, square)) this.turnAt(square);
    });
    grid.addEventListener(
      "pointerover",
      (event) => event.pointerType === "mouse" && this.aim(this.view.squareOf(event.target))
    );
    grid.addEventListener("pointerleave", () => this.aim(null));
    grid.addEventListener("focusin", (event) => this.aim(this.view.squareOf(event.target)));
    grid.addEventListener("focusout", () => this.aim(null));
    this.element.addEventListener("keydown", (event) => this.key(event));
    watchForDrag(this.tray.element, (event) => {
      const domino2 = this.tray.dominoOf(event.target);
      if (domino2 === null || this.shown) return null;
      return this.carry(domino2, this.hand?.domino === domino2 ? this.hand.turn : 0);
    });
    watchForDrag(grid, (event) => {
      const square = this.view.squareOf(event.target);
      const laid = square === null || this.shown ? null : laidAt(this.history.state, square);
      return laid && this.carry(laid.domino, directionOf(this.puzzle, laid.squares));
    });
  }
  aim(square) {
    if (this.over === square) return;
    this.over = square;
    if (this.hand) this.draw();
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.shown) return;
    const square = this.view.squareOf(event.target);
    const done = square === null ? this.keyAnywhere(event.key) : this.keyOn(square, event.key) || this.keyAnywhere(event.key);
    if (done) event.preventDefault();
  }
  keyAnywhere(key) {
    if (key === "Escape" && this.hand) {
      this.hand = null;
      this.draw();
      announce("put back");
    } else if (key === "r" || key === "R") this.turnHand();
    else return false;
    return true;
  }
  keyOn(square, key) {
    if (/^\d$/.test(key)) this.takeWith(Number(key), square);
    else if (key === "Enter") this.hand ? this.layAt(square) : this.liftAt(square);
    else if (key === " ") this.hand ? this.turnHand() : this.turnAt(square);
    else if ((key === "r" || key === "R") && !this.hand) this.turnAt(square);
    else if (key === "Delete" || key === "Backspace") this.takeBackAt(square);
    else return false;
    return true;
  }
  carry(domino2, turn) {
    const image = h("div", { class: "carried" }, dominoPicture(this.puzzle.dominoes[domino2]));
    image.style.setProperty("--unit", `${this.view.unit}px`);
    image.style.setProperty("--turn", String(turn));
    this.hand = { domino: domino2, turn, half: 0 };
    const target = (x, y) => {
      const away = this.view.unit / 2;
      const [across, down] = [
        [away, 0],
        [0, away],
        [-away, 0],
        [0, -away]
      ][turn & 3];
      const first = this.view.place(x - across, y - down).square;
      const other = first === null ? null : beside(this.puzzle, first, turn);
      return first === null || other === null ? null : [first, other];
    };
    return {
      image,
      over: (x, y) => {
        this.carried = target(x, y);
        this.draw();
      },
      drop: (x, y) => {
        const squares = target(x, y);
        if (squares) this.layOn(domino2, squares);
        else if (isLaid(this.history.state, domino2))
          this.change(this.without(domino2), () => `${this.pipsOf(domino2)} taken back`);
      },
      end: () => {
        this.hand = null;
        this.carried = null;
        this.draw();
      }
    };
  }
  without(domino2) {
    const { state: state2 } = this.history;
    return { ...state2, laid: state2.laid.filter((laid) => laid.domino !== domino2) };
  }
  // what is seen and said
  ghost() {
    if (!this.hand) return null;
    const { domino: domino2 } = this.hand;
    const pips = this.puzzle.dominoes[domino2];
    if (this.carried) return { domino: domino2, pips, squares: this.carried };
    if (this.over === null) return null;
    const squares = fitting(this.puzzle, this.history.state, this.hand, this.over);
    return squares && { domino: domino2, pips, squares };
  }
  draw() {
    const { play, puzzle } = this;
    this.now = standings(puzzle, play);
    const { rule = [], move = [], wrong = [], regions } = this.pointed ?? {};
    const squares = (names) => squaresOf(puzzle, names);
    this.view.show({
      play,
      standings: this.now,
      ghost: this.ghost(),
      lit: this.pointed && {
        regions,
        rule: squares(rule),
        move: squares(move),
        wrong: squares(wrong)
      },
      numbered: this.pointed?.numbered ?? false
    });
    this.tray.show(play, this.hand);
  }
  describe(square) {
    return squareWords(this.puzzle, this.play, this.now, square);
  }
  news(squares) {
    return regionNews(this.puzzle, this.now, squares);
  }
  pipsOf(domino2) {
    return dominoName(this.puzzle, domino2);
  }
};

// src/views/story.ts
var StoryPanel = class {
  constructor(read2, table, seconds) {
    this.read = read2;
    this.table = table;
    this.seconds = seconds;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
    this.element.append(this.title, this.asking.element, this.body, this.choices);
  }
  read;
  table;
  seconds;
  element = h("section", { class: "panel story sheet", hidden: true, "aria-label": "The story" });
  title = h("h2", {}, "The steps");
  asking = new Asking();
  words = h("p", { class: "words", "aria-live": "polite" });
  count = h("label", { class: "count", for: "story-step" });
  slider = h("input", { type: "range", min: 1, value: 1, id: "story-step" });
  back = button("Back", () => this.go(this.at - 1));
  on = button("Next", () => this.go(this.at + 1), { class: "strong" });
  body = h("div", { hidden: true }, this.count, this.slider, this.words);
  choices = h("div", { class: "choices" });
  steps = [];
  /** Whether these are all steps. */
  whole = false;
  at = 0;
  async begin() {
    this.element.hidden = false;
    window.scrollTo(0, 0);
    this.body.hidden = true;
    this.steps = [];
    this.whole = false;
    this.choices.replaceChildren(button("Close", () => this.close()));
    const body = { puzzle: puzzleOf(this.read), reasons: 3, seconds: this.seconds };
    const said = "Finding the steps…";
    const answer = await this.asking.ask(
      "explain",
      body,
      said,
      ({ from, steps }) => {
        this.take([...this.steps.slice(0, from), ...steps]);
        return [said, `${this.steps.length} so far`];
      }
    );
    if (!answer) return;
    if (answer.status === "infeasible") return this.tellReasons(answer.reasons);
    const ended = answer.stop === "finished";
    this.whole = ended;
    this.take(answer.steps);
    if (!this.steps.length)
      return this.asking.say(
        ended ? "Nothing follows from the rules alone: the solutions share no step." : `No step was found in time (${answer.stop}).`
      );
    if (!ended) this.asking.say(`The steps are incomplete (${answer.stop}): these are the first ones.`);
    else if (answer.status === "several")
      this.asking.say("There are several solutions. These steps hold in all of them.");
  }
  /** Takes the steps found so far; the one that is shown stays, even where one before it turned out to be needed. */
  take(steps) {
    const shown = this.steps[this.at]?.sentence;
    this.steps = steps;
    if (!steps.length) return;
    this.slider.max = String(steps.length);
    if (!this.body.hidden) {
      const at = steps.findIndex(({ sentence: sentence2 }) => sentence2 === shown);
      return this.go(at < 0 ? this.at : at);
    }
    this.body.hidden = false;
    this.choices.replaceChildren(
      this.back,
      this.on,
      button("Close", () => this.close())
    );
    this.go(0);
    this.on.focus();
  }
  close() {
    this.asking.stop();
    if (this.element.hidden) return;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = true;
    if (focused) focusBoard(this.table);
    this.table.tell(null);
    this.table.point(null);
  }
  go(to) {
    this.at = Math.min(Math.max(to, 0), this.steps.length - 1);
    const step = this.steps[this.at];
    this.table.tell(this.steps.slice(0, this.at + 1).flatMap(({ conclusions }) => conclusions ?? []));
    this.table.point(pointAtStep(step, this.read));
    if (this.words.textContent !== step.sentence) this.words.replaceChildren(...worded(step.sentence));
    this.count.textContent = `Step ${this.at + 1} of ${this.steps.length}${this.whole ? "" : " so far"}`;
    this.slider.value = String(this.at + 1);
    this.back.disabled = this.at === 0;
    this.on.disabled = this.whole && this.at === this.steps.length - 1;
  }
  tellReasons(reasons) {
    this.title.textContent = "Why there is no solution";
    const list = h("ul", { class: "reasons" });
    for (const reason of reasons)
      list.append(
        h(
          "li",
          {},
          sentenceButton(
            asWritten(reason.sentence, this.read.pips?.regions),
            () => this.table.point(pointAtReason(reason))
          )
        )
      );
    this.choices.replaceChildren(
      list,
      button("Close", () => this.close())
    );
    if (!reasons.length) this.asking.say("No reason was found in time.");
    if (reasons[0]) this.table.point(pointAtReason(reasons[0]));
  }
};

// src/views/play.ts
var PlayView = class {
  constructor(app, choose) {
    this.app = app;
    this.choose = choose;
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("pagehide", () => this.keep());
  }
  app;
  choose;
  element = h("section", { class: "view play", "aria-labelledby": "puzzle-name" });
  timer = new Timer();
  read = null;
  board = null;
  table = null;
  hint = null;
  story = null;
  finished = false;
  shown = false;
  /** Whether an engine fills the board, for which nobody is to be congratulated. */
  filling = false;
  undo = icon("↶", "Undo", () => this.table?.undo());
  redo = icon("↷", "Redo", () => this.table?.redo());
  end = new EndPanel();
  statistics = new Statistics();
  asking = new Asking();
  missing = h("div");
  /** On a phone, the board makes room for the panel that lies over the lower part of the screen. */
  sheets = new ResizeObserver(() => {
    const open = this.element.querySelector(".sheet:not([hidden])");
    this.element.style.setProperty("--covered", `${open?.offsetHeight ?? 0}px`);
  });
  /** Shows a puzzle with its saved board, or with another board from a link. */
  set(read2, board) {
    this.read = read2;
    this.board = board;
    this.build();
  }
  /** Says what does not work here, once that is known. */
  learn() {
    const why = Object.values(this.app.about.missing ?? {});
    this.missing.replaceChildren(...why.map((line) => h("p", { class: "soft" }, line)));
  }
  focus() {
    if (this.table) focusBoard(this.table);
  }
  enter() {
    const { puzzle } = this.app;
    if (puzzle && puzzle !== this.read) this.set(puzzle, null);
  }
  leave() {
    this.hint?.close();
    this.story?.close();
    this.asking.stop();
    this.keep();
  }
  build() {
    const { read: read2 } = this;
    if (!read2) return;
    const kept2 = recall(read2.text);
    const events = { changed: () => this.changed(), hint: () => void this.askHint(true) };
    this.table = tableFor(read2, kept2?.table, this.board, events);
    const seconds = this.app.about.limits.seconds;
    this.hint = new HintPanel(read2, this.table, seconds, () => this.congratulate());
    this.hint.count = Number(kept2?.hints) || 0;
    this.shown = Boolean(kept2?.shown);
    this.story = new StoryPanel(read2, this.table, seconds);
    this.finished = Boolean(kept2?.done) && this.table.isFull;
    this.end.hide();
    this.asking.stop();
    this.timer.start(typeof kept2?.seconds === "number" ? kept2.seconds : 0);
    if (this.finished) this.timer.stop();
    this.element.replaceChildren(this.head(read2), this.stage(this.table), this.side(this.hint, this.story));
    this.sheets.disconnect();
    for (const sheet of this.element.querySelectorAll(".sheet")) this.sheets.observe(sheet);
    this.showUndo();
  }
  /** Where the puzzle stands in the folder of days, if that is open. */
  get day() {
    const day = this.read?.day;
    return day && this.app.days.includes(day.date) ? day : null;
  }
  levels() {
    const { day } = this;
    return day && levelTabs(day, (other) => void this.app.openDay(other, "tab"));
  }
  head(read2) {
    const grade = read2.rating?.grade ? ` · ${read2.rating.grade}` : "";
    const { day } = this;
    return h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        h("h1", { id: "puzzle-name" }, ...day ? headline(day.date) : [read2.name]),
        h("p", { class: "by" }, sizeOf(read2), grade)
      ),
      day && dayButtons(day, this.app.days, (other) => void this.app.openDay(other, "board")),
      button("Other puzzle…", this.choose, { class: "other" })
    );
  }
  stage(table) {
    const tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Game" },
      this.undo,
      this.redo,
      this.has("hint") && button("Hint", () => void this.askHint(), { class: "strong" }),
      this.timer.element
    );
    const playable = !(table instanceof PictureTable);
    const levels = this.levels();
    const refused = "This board cannot be played here, but it can be solved and explained.";
    return h(
      "div",
      { class: "stage" },
      (levels || playable) && h("div", { class: "controls" }, levels, playable && tools),
      !playable && h("p", { class: "soft" }, refused),
      this.day ? asPanel(table.element, this.day) : table.element
    );
  }
  side(hint, story) {
    return h(
      "div",
      { class: "side" },
      this.end.element,
      hint.element,
      story.element,
      this.asking.element,
      this.how(),
      this.more(),
      h("details", { class: "panel" }, h("summary", {}, "Solved so far"), this.statistics.element)
    );
  }
  how() {
    if (!(this.table instanceof PipsTable)) return null;
    const line = (keys, what) => [h("dt", {}, keys), h("dd", {}, what)];
    return h(
      "details",
      { class: "panel" },
      h("summary", {}, "How to play"),
      h(
        "p",
        {},
        "Lay all dominoes so that every region obeys its rule: a sum, less or more than a number, all equal, all different."
      ),
      h(
        "p",
        {},
        "Drag a domino onto the board, or tap it and then a square; tap it once more to turn it. Tap a laid domino to turn it, drag it off to take it back."
      ),
      h(
        "dl",
        { class: "keys" },
        ...line("arrows", "move over the board"),
        ...line("0–9", "pick up a domino with this number; again: the next one"),
        ...line("R, space", "turn"),
        ...line("enter", "place, or pick up"),
        ...line("delete", "take back"),
        ...line("ctrl Z, Y", "undo, redo"),
        ...line("H", "hint; again: more of it")
      )
    );
  }
  more() {
    const read2 = this.read;
    const text = async (to, type, suffix) => {
      const made = await this.asking.ask(
        "convert",
        { puzzle: puzzleOf(read2), to },
        "Writing…"
      );
      if (made) download(fileName(read2.name, suffix), made.text, type);
    };
    return h(
      "details",
      { class: "panel" },
      h("summary", {}, "Solve, rate, send, save"),
      h(
        "div",
        { class: "choices" },
        !(this.table instanceof PictureTable) && button("Restart", () => this.table?.clear(null)),
        this.has("solve") && button("Solve it", () => void this.solve()),
        this.has("explain") && button("Show the steps", () => void this.tellStory()),
        this.has("rate") && button("How hard is it?", () => void this.rate()),
        this.has("prove") && button("Save a proof", () => void this.prove()),
        button(this.app.address ? "Copy a link" : "Copy to send", () => void this.send()),
        button("Print", () => window.print()),
        button(`Print four ${this.day ? "days" : "copies"}`, () => void this.printFour()),
        button("Save as text", () => download(fileName(read2.name, "txt"), read2.text)),
        this.has("convert") && button("Save as JSON", () => void text("json", "application/json", "json")),
        this.has("convert") && button("Save the picture", () => void text("svg", "image/svg+xml", "svg"))
      ),
      this.missing
    );
  }
  /** Saves a certificate of all solutions, which others can check without this page. */
  async prove() {
    const read2 = this.read;
    const made = await this.asking.ask("prove", { puzzle: puzzleOf(read2) }, "Proving…");
    if (!made) return;
    downloadBytes(fileName(`${read2.name}-proof`, "zip"), made.zip, "application/zip");
    this.asking.say(`Saved. The file proves: ${made.proved.replace("proved: ", "")}.`);
  }
  /** Prints this level of four days, or this puzzle four times, on one sheet. */
  async printFour() {
    const { day } = this;
    const read2 = this.read;
    if (!day) return printSheet(Array.from({ length: ON_A_SHEET }, () => ({ title: read2.name, read: read2 })));
    const { days } = this.app;
    const first = Math.max(0, Math.min(days.indexOf(day.date), days.length - ON_A_SHEET));
    this.asking.say("Reading the days…");
    try {
      const puzzles = [];
      for (const date of days.slice(first, first + ON_A_SHEET))
        for (const each of await this.app.readDay(date))
          if (each.day?.level === day.level)
            puzzles.push({ title: `${dateWords(date)}, ${day.level}`, read: each });
      this.asking.stop();
      printSheet(puzzles);
    } catch (error) {
      this.asking.say(`A day cannot be read: ${sayFault(error)}.`);
    }
  }
  has(verb) {
    return this.app.about.verbs.includes(verb);
  }
  key(event) {
    if (event.defaultPrevented || !this.element.isConnected || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (!event.ctrlKey && !event.metaKey) {
      if (key === "h" && !event.altKey && this.table && this.has("hint") && !isTyping(event.target)) {
        event.preventDefault();
        void this.askHint(true);
      }
      return;
    }
    if (key === "y" || key === "z" && event.shiftKey) this.table?.redo();
    else if (key === "z") this.table?.undo();
    else return;
    event.preventDefault();
  }
  changed() {
    this.showUndo();
    this.hint?.close();
    if (!this.filling) this.asking.stop();
    if (this.filling) {
      this.timer.stop();
      this.end.hide();
    } else if (this.table?.isDone) this.congratulate();
    else if (this.table?.isFull && this.table.isDone === null) void this.judge();
    else {
      if (this.finished) this.timer.start(this.timer.seconds);
      this.finished = false;
      this.end.hide();
    }
    this.keep();
  }
  showUndo() {
    this.undo.disabled = !this.table?.canUndo;
    this.redo.disabled = !this.table?.canRedo;
  }
  keep() {
    if (!this.read || !this.table || this.table instanceof PictureTable) return;
    const { finished: done, shown } = this;
    const kept2 = {
      table: this.table.kept(),
      seconds: this.timer.seconds,
      done,
      hints: this.hint?.count ?? 0,
      shown
    };
    remember(this.read.text, kept2);
  }
  /** Begins a hint; with `further`, goes on with the one that is shown. */
  async askHint(further = false) {
    this.story?.close();
    await (further ? this.hint?.goFurther() : this.hint?.begin());
  }
  async tellStory() {
    this.hint?.close();
    this.end.hide();
    this.shown ||= !this.finished;
    this.keep();
    await this.story?.begin();
  }
  /** A full board whose rules the page does not know: the hint says whether it is right. */
  async judge() {
    await this.hint?.begin(false);
  }
  congratulate() {
    this.timer.stop();
    this.finished = true;
    this.hint?.close();
    const { seconds } = this.timer;
    const read2 = this.read;
    const hints = this.hint?.count ?? 0;
    const key = read2.day ? dayKey(read2.day) : keyOf(read2.text);
    if (!this.shown)
      keepFinish(key, { at: Date.now(), seconds: Math.floor(seconds), hints, level: read2.day?.level });
    this.statistics.show();
    this.element.querySelector(".tabs")?.replaceWith(this.levels() ?? "");
    const next2 = this.day && following(this.day, this.app.days);
    this.end.show(read2, seconds, hints, !this.shown, [
      next2 && button(
        next2.date === this.day?.date ? `Next: ${next2.level}` : "Next day",
        () => void this.app.openDay(next2, "board"),
        {
          class: "strong"
        }
      ),
      button("Other puzzle…", this.choose, { class: next2 ? "" : "strong" }),
      this.has("explain") && button("Show all steps", () => void this.tellStory())
    ]);
    this.keep();
  }
  async solve() {
    const read2 = this.read;
    const { seconds } = this.app.about.limits;
    const body = { puzzle: puzzleOf(read2), board: this.table?.board() ?? null, seconds };
    const answer = await this.asking.ask("solve", body, "Solving…");
    if (!answer) return;
    if (answer.status !== "solved") return this.asking.say(refusal(answer));
    this.story?.close();
    this.filling = true;
    this.shown = true;
    this.table?.fill(answer);
    this.filling = false;
    this.finished = true;
    this.keep();
    this.asking.say(
      `Solved in ${Math.max(0.01, answer.seconds.total).toFixed(2)} s${solutionsWords(answer)}.`
    );
  }
  async rate() {
    const { seconds } = this.app.about.limits;
    const answer = await askRating(this.asking, { puzzle: puzzleOf(this.read), seconds });
    if (answer) this.asking.say(`It is ${ratingWords(answer)}`);
  }
  /** Copies a link that others can open; where nobody else reaches this page, the puzzle as text. */
  async send() {
    const { name, family, text } = this.read;
    const shown = await sharedField(this.app.address, {
      name,
      family,
      text,
      board: this.table?.board() ?? null
    });
    let copied = "";
    try {
      await navigator.clipboard.writeText(shown.value);
      copied = "Copied. ";
    } catch {
    }
    this.asking.say(`${copied}${sharedWords(this.app.address)}`);
    this.asking.element.append(shown);
    shown.select();
  }
};
function headline(date) {
  return [
    h("span", { class: "if-wide" }, dateWords(date)),
    h("span", { class: "if-narrow" }, dateWords(date, "short"))
  ];
}
function icon(sign, name, onclick) {
  return button(sign, onclick, { class: "icon", "aria-label": name, title: name });
}
function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));
}
function tableFor(read2, kept2, board, events) {
  if (read2.pips && read2.pips.cells.length <= MOST_SQUARES)
    return new PipsTable(read2, kept2, board, events);
  if (read2.grid && read2.picture && read2.grid.cells.length <= MOST_SQUARES)
    return new GridTable(read2, kept2, board, events);
  return new PictureTable(read2);
}
function sizeOf({ family, pips, grid }) {
  if (pips) return `Pips · ${plural(pips.dominoes.length, "domino", "dominoes")}`;
  const name = family.replace("-", " ").replace(/^./, (first) => first.toUpperCase());
  return grid ? `${name} · ${grid.rows} × ${grid.columns}` : name;
}

// src/page.ts
var PRESUMED = {
  version: "",
  where,
  verbs: [
    "read",
    "generate",
    "solve",
    "count",
    "solutions",
    "sample",
    "hint",
    "explain",
    "rate",
    "prove",
    "convert",
    "read_picture"
  ],
  engines: [],
  limits: { seconds: 10, bytes: 1e6 },
  sizes: {}
};
var Page = class {
  about = PRESUMED;
  puzzle = null;
  days = [];
  address = where === "browser" ? location.href : null;
  opened = /* @__PURE__ */ new Map();
  main = document.getElementById("main");
  nav = document.getElementById("views");
  views = /* @__PURE__ */ new Map();
  now = null;
  chooser = null;
  play = null;
  draw = null;
  async begin() {
    setUpTheme(document.getElementById("theme"));
    showNamedCells();
    if (where === "browser") void loadInBackground(document.getElementById("loading"));
    const examples = loadExamples();
    if (where === "local") ({ days: this.days, address: this.address } = await loadServed());
    this.setUp();
    void ask("about", {}).then((about) => this.learn(about)).catch(() => void 0);
    window.addEventListener("hashchange", () => void this.follow());
    if (!await this.follow()) await this.openFirst(examples);
    this.chooser?.showExamples((await examples.catch(() => ({ puzzles: [] }))).puzzles);
  }
  setUp() {
    this.chooser = new Chooser(
      this.about,
      (read2) => this.open(read2),
      (draft) => this.openDraft(draft)
    );
    this.play = new PlayView(this, () => this.chooser?.open());
    const { play } = this;
    this.views.set("play", { title: "Play", make: () => play });
    if (this.days.length) {
      const days = new DaysView(this.days, (date, level) => void this.openDay({ date, level }, "board"));
      this.views.set("days", { title: "Days", make: () => days });
    }
    const draw = this.draw = new DrawView(this);
    this.views.set("draw", { title: "Draw", make: () => draw });
    this.views.set("look", { title: "Solutions", make: () => new LookView(this) });
    document.body.append(this.chooser.element);
    this.learn(this.about);
  }
  /** Shows the views that work here. */
  learn(about) {
    this.about = about;
    this.chooser?.learn(about);
    this.play?.learn();
    if (about.verbs.includes("compare"))
      this.views.set("compare", { title: "Compare", make: () => new CompareView(this) });
    this.showNav();
    if (this.puzzle && location.hash === "#compare") this.show("compare");
  }
  /** Adds the links of new views; those that are there stay, as one may be under a click. */
  showNav() {
    for (const [name, { title }] of this.views) {
      if (!this.nav.querySelector(`[data-view="${name}"]`))
        this.nav.append(h("a", { href: `#${name}`, "data-view": name }, title));
    }
    this.markNow();
  }
  open(read2, board = null) {
    this.puzzle = read2;
    rememberOpen(read2);
    document.title = `${read2.name} · milp-pips`;
    this.play?.set(read2, board);
    this.go("play");
    window.scrollTo(0, 0);
    this.play?.focus();
  }
  pickPicture() {
    this.chooser?.pickPicture();
  }
  /** Plays what was read with certainty; what is doubtful is drawn, and so is what was read in Draw. */
  openDraft(draft) {
    const drawing = drawingOfDraft(draft);
    const read2 = drawing && readOf(drawing);
    if (!drawing) this.complain("The puzzle is too large to be drawn here.");
    else if (read2 && draft.solvable && !draft.doubts.length && this.now !== this.draw) this.open(read2);
    else {
      this.go("draw");
      this.draw?.take(drawing, draft);
      window.scrollTo(0, 0);
    }
  }
  async readDay(date) {
    const reads = this.opened.get(date) ?? await readDay(date);
    this.opened.set(date, reads);
    return reads;
  }
  async openDay({ date, level }, focus) {
    try {
      const read2 = (await this.readDay(date)).find(({ day }) => day?.level === level);
      if (!read2) throw new Error(`the day has no puzzle ${level}`);
      this.open(read2);
      if (focus === "tab") this.main.querySelector(`#tab-${level}`)?.focus();
    } catch (error) {
      this.complain(`${date} cannot be opened: ${sayFault(error)}.`);
    }
  }
  go(view) {
    if (location.hash !== `#${view}`) history.pushState(null, "", `#${view}`);
    this.show(view);
  }
  show(name) {
    const view = this.views.get(name) ?? this.views.get("play");
    if (!view) return;
    view.made ??= view.make();
    if (this.now !== view.made) {
      this.now?.leave();
      this.now = view.made;
      this.main.replaceChildren(view.made.element);
    }
    view.made.enter();
    this.markNow();
  }
  markNow() {
    for (const link of this.nav.querySelectorAll("a")) {
      const made = this.views.get(link.dataset.view ?? "")?.made;
      if (made && made === this.now) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  /** Goes where the fragment says; whether it brought a puzzle. */
  async follow() {
    const fragment = location.hash.slice(1);
    if (!fragment.startsWith("puzzle=")) {
      if (this.puzzle) this.show(fragment);
      return false;
    }
    try {
      const packed2 = await unpack(fragment.slice("puzzle=".length));
      let read2 = readHere(packed2);
      if (!read2) {
        const answer = await ask("read", {
          file: { name: packed2.name, text: packed2.text }
        });
        read2 = answer.puzzles[0] ?? null;
        if (!read2) throw new Error(answer.faults[0] ?? "the link holds no puzzle");
      }
      history.replaceState(null, "", "#play");
      this.open({ ...read2, name: packed2.name }, packed2.board);
      return true;
    } catch (error) {
      history.replaceState(null, "", "#play");
      this.complain(`This link cannot be opened: ${sayFault(error)}.`);
      return false;
    }
  }
  /** Goes on with the puzzle that was open last; without one, with the first example. */
  async openFirst(examples) {
    const wanted = location.hash.slice(1) || (this.days.length ? "days" : "");
    const last = recallOpen();
    if (!(last?.text && this.lay(last))) {
      const first = (await examples.catch(() => null))?.puzzles[0];
      if (!first || !this.lay(first)) {
        this.complain("The examples could not be loaded.");
        this.chooser?.open();
        return;
      }
    }
    this.show(wanted);
  }
  /** Whether a puzzle could be shown: what was saved may be of another version. */
  lay(read2) {
    try {
      this.play?.set(read2, null);
    } catch {
      return false;
    }
    this.puzzle = read2;
    rememberOpen(read2);
    document.title = `${read2.name} · milp-pips`;
    return true;
  }
  complain(said) {
    const line = h("p", { class: "fault banner", role: "alert" }, said);
    this.main.before(line);
    setTimeout(() => line.remove(), 15e3);
  }
};
async function loadExamples() {
  return where === "local" ? ask("examples", {}) : (await fetch("examples.json")).json();
}
async function loadServed() {
  try {
    return await (await fetch("days.json")).json();
  } catch {
    return { days: [], address: null };
  }
}
async function readDay(date) {
  const answer = await fetch(`days/${date}`);
  if (!answer.ok) throw new Error("it is no longer in the folder");
  const { text } = await answer.json();
  const { puzzles } = await ask("read", { file: { name: `${date}.json`, text } });
  return puzzles.map((read2) => ({ ...read2, day: { date, level: read2.name.split("-").at(-1) ?? "" } }));
}
void new Page().begin();
