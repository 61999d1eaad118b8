/** Asking the local server: JSON there, server-sent events back. */

import { Fault, type Listening } from "./ask";

export async function askServer(
  verb: string,
  body: object,
  { onEvent, signal }: Listening,
): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(`api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: signal ?? null,
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
      const fault = data as { kind: string; message: string };
      throw new Fault(fault.kind, fault.message);
    }
    onEvent?.(event, data);
  }
  throw new Fault("engine", "the answer ended early");
}

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return String((JSON.parse(text) as { message: unknown }).message);
  } catch {
    return `the server answered ${answer.status}`;
  }
}

async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<[string, unknown]> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  try {
    for (;;) {
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
    reader.cancel().catch(() => undefined); // it may have been aborted already
  }
}

function eventIn(block: string): [string, unknown] | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? [event, JSON.parse(data.join("\n"))] : null;
}
