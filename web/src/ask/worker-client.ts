/** Asking the worker in this browser. It does one thing at a time, and nothing before Python is loaded. */

import { Fault, type Listening } from "./ask";

interface Waiting {
  id: number;
  verb: string;
  body: object;
  listening: Listening;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
  /** Ends the worker, if this answer is no longer wanted and does not come soon. */
  grace?: number;
}

export type Loading = "loading" | "ready" | "failed";

/** Milliseconds that the worker has for an answer that nobody wants: to load Python again takes longer. */
const GRACE = 1500;

let worker: Worker | null = null;
let state: Loading = "loading";
/** Whether Python may be loaded: what is asked before waits for `warmUp`. */
let begun = false;
let running: Waiting | null = null;
let next = 0;
let onState: (state: Loading) => void = () => undefined;
const queue: Waiting[] = [];

export function askWorker(verb: string, body: object, listening: Listening): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { id: next++, verb, body, listening, resolve, reject };
    if (listening.signal?.aborted) return reject(aborted());
    listening.signal?.addEventListener("abort", () => drop(waiting), { once: true });
    queue.push(waiting);
    if (!worker || state === "loading") listening.onEvent?.("loading", {});
    else if (running || queue.length > 1)
      listening.onEvent?.("queued", { ahead: queue.length - 1 + (running ? 1 : 0) });
    proceed();
  });
}

/** Starts loading Python before anybody asks, and calls `told` when that ends, each time that it is loaded. */
export function warmUp(told: (state: Loading) => void): void {
  onState = told;
  begun = true;
  worker ??= start();
}

function start(): Worker {
  const started = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
  started.onmessage = ({ data }) => receive(data as { id: number; event: string; data: unknown });
  started.onerror = (event) => {
    event.preventDefault();
    fail("Python could not be started in this browser");
  };
  enter("loading");
  return started;
}

function enter(now: Loading): void {
  state = now;
  onState(now);
}

function stop(): void {
  worker?.terminate();
  worker = null;
}

function fail(message: string): void {
  stop();
  const lost = [...(running ? [running] : []), ...queue.splice(0)];
  running = null;
  for (const waiting of lost) waiting.reject(new Fault("engine", message));
  enter("failed");
}

function receive(message: { id: number; event: string; data: unknown }): void {
  if (message.event === "ready") {
    enter("ready");
    proceed();
  } else if (message.event === "failed") fail((message.data as { message: string }).message);
  else if (message.id !== running?.id) return;
  else if (message.event === "result") settle((waiting) => waiting.resolve(message.data));
  else if (message.event === "fault") {
    const fault = message.data as { kind: string; message: string };
    settle((waiting) => waiting.reject(new Fault(fault.kind, fault.message)));
  } else if (!running.grace) running.listening.onEvent?.(message.event, message.data);
}

function settle(how: (waiting: Waiting) => void): void {
  const waiting = running;
  running = null;
  clearTimeout(waiting?.grace);
  if (waiting) how(waiting);
  proceed();
}

function proceed(): void {
  if (running || !queue.length || !begun) return;
  worker ??= start();
  if (state !== "ready") return;
  running = queue.shift() as Waiting;
  worker.postMessage({ id: running.id, verb: running.verb, body: running.body });
}

function drop(waiting: Waiting): void {
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

function aborted(): DOMException {
  return new DOMException("the request was cancelled", "AbortError");
}
