/** The package itself, in this browser: Pyodide loads it and answers what the page asks. */

interface Pyodide {
  unpackArchive(buffer: ArrayBuffer, format: string, options: { extractDir: string }): void;
  runPython(code: string): unknown;
  pyimport(name: string): {
    answer(verb: string, body: string, emit: (event: string, data: string) => void): void;
  };
}

const PACKAGE = "/home/pyodide/package";

async function load(): Promise<ReturnType<Pyodide["pyimport"]>> {
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
loaded.catch(() => undefined); // told to whoever asks

self.onmessage = async ({
  data: { id, verb, body },
}: MessageEvent<{ id: number; verb: string; body: object }>) => {
  const tell = (event: string, data: unknown) => self.postMessage({ id, event, data });
  try {
    const python = await loaded;
    python.answer(verb, JSON.stringify(body), (event, data) => tell(event, JSON.parse(data)));
  } catch (error) {
    const lines = String(error instanceof Error ? error.message : error)
      .trim()
      .split("\n");
    tell("fault", { kind: "engine", message: lines[lines.length - 1] });
  }
};
