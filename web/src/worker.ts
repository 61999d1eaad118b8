/** The package itself, in this browser: Pyodide loads it and answers what the page asks. */

interface Answers {
  answer(verb: string, body: string, emit: (event: string, data: string) => void): void;
  warm_up(where: string): void;
}

interface Pyodide {
  unpackArchive(buffer: ArrayBuffer, format: string, options: { extractDir: string }): void;
  runPython(code: string): unknown;
  pyimport(name: string): Answers;
}

const PACKAGE = "/home/pyodide/package";

async function load(): Promise<Answers> {
  const packed = fetch("milp_pips.zip").then((answer) => {
    if (!answer.ok) throw new Error("milp_pips.zip is not there");
    return answer.arrayBuffer();
  });
  const home = new URL("pyodide/", self.location.href).href;
  const { loadPyodide } = (await import(/* @vite-ignore */ `${home}pyodide.mjs`)) as {
    loadPyodide(options: { indexURL: string }): Promise<Pyodide>;
  };
  const pyodide = await loadPyodide({ indexURL: home });
  pyodide.unpackArchive(await packed, "zip", { extractDir: PACKAGE });
  pyodide.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(PACKAGE)})`);
  return pyodide.pyimport("milp_pips.extras.web.answers");
}

const loaded = load();
loaded.then(
  (answers) => {
    self.postMessage({ event: "ready" });
    // what is waiting comes first: it loads what it needs itself
    setTimeout(() => answers.warm_up("browser"), 200);
  },
  (error: unknown) => self.postMessage({ event: "failed", data: { message: lastLine(error) } }),
);

self.onmessage = async ({
  data: { id, verb, body },
}: MessageEvent<{ id: number; verb: string; body: object }>) => {
  const tell = (event: string, data: unknown) => self.postMessage({ id, event, data });
  try {
    const python = await loaded;
    python.answer(verb, JSON.stringify(body), (event, data) => tell(event, JSON.parse(data)));
  } catch (error) {
    tell("fault", { kind: "engine", message: lastLine(error) });
  }
};

function lastLine(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error)
    .trim()
    .split("\n");
  return lines.at(-1) as string;
}
