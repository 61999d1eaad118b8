/** Asking the worker in this browser. It does one thing at a time; what nobody waits for is ended with it. */

import { Fault, type Listening } from "./ask";

interface Waiting {
  id: number;
  verb: string;
  body: object;
  listening: Listening;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

let worker: Worker | null = null;
let running: Waiting | null = null;
let next = 0;
const queue: Waiting[] = [];

export function askWorker(verb: string, body: object, listening: Listening): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { id: next++, verb, body, listening, resolve, reject };
    if (listening.signal?.aborted) return reject(aborted());
    listening.signal?.addEventListener("abort", () => drop(waiting), { once: true });
    queue.push(waiting);
    for (const [ahead, other] of queue.entries())
      if (other === waiting && (running || ahead))
        listening.onEvent?.("queued", { ahead: ahead + (running ? 1 : 0) });
    proceed();
  });
}

/** Starts loading Python before anybody asks. */
export function warmUp(): void {
  worker ??= start();
}

function start(): Worker {
  const started = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
  started.onmessage = ({ data }) => receive(data as { id: number; event: string; data: unknown });
  started.onerror = (event) => {
    event.preventDefault();
    settle((waiting) => waiting.reject(new Fault("engine", "Python could not be started in this browser")));
    stop();
  };
  return started;
}

function stop(): void {
  worker?.terminate();
  worker = null;
}

function receive(message: { id: number; event: string; data: unknown }): void {
  if (message.id !== running?.id) return;
  if (message.event === "result") settle((waiting) => waiting.resolve(message.data));
  else if (message.event === "fault") {
    const fault = message.data as { kind: string; message: string };
    settle((waiting) => waiting.reject(new Fault(fault.kind, fault.message)));
  } else running.listening.onEvent?.(message.event, message.data);
}

function settle(how: (waiting: Waiting) => void): void {
  const waiting = running;
  running = null;
  if (waiting) how(waiting);
  proceed();
}

function proceed(): void {
  if (running) return;
  running = queue.shift() ?? null;
  if (!running) return;
  worker ??= start();
  worker.postMessage({ id: running.id, verb: running.verb, body: running.body });
}

function drop(waiting: Waiting): void {
  const at = queue.indexOf(waiting);
  if (at >= 0) queue.splice(at, 1);
  else if (running !== waiting) return;
  else {
    running = null;
    stop();
  }
  waiting.reject(aborted());
  proceed();
}

function aborted(): DOMException {
  return new DOMException("nobody waits", "AbortError");
}
