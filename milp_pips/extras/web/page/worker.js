// src/worker.ts
var PACKAGE = "/home/pyodide/package";
async function load() {
  const packed = fetch("milp_pips.zip").then((answer) => {
    if (!answer.ok) throw new Error("milp_pips.zip is not there");
    return answer.arrayBuffer();
  });
  const home = new URL("pyodide/", self.location.href).href;
  const { loadPyodide } = await import(
    /* @vite-ignore */
    `${home}pyodide.mjs`
  );
  const pyodide = await loadPyodide({ indexURL: home });
  pyodide.unpackArchive(await packed, "zip", { extractDir: PACKAGE });
  pyodide.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(PACKAGE)})`);
  return pyodide.pyimport("milp_pips.extras.web.answers");
}
var loaded = load();
loaded.then(
  (answers) => {
    self.postMessage({ event: "ready" });
    setTimeout(() => answers.warm_up("browser"), 200);
  },
  (error) => self.postMessage({ event: "failed", data: { message: lastLine(error) } })
);
self.onmessage = async ({
  data: { id, verb, body }
}) => {
  const tell = (event, data) => self.postMessage({ id, event, data });
  try {
    const python = await loaded;
    python.answer(verb, JSON.stringify(body), (event, data) => tell(event, JSON.parse(data)));
  } catch (error) {
    tell("fault", { kind: "engine", message: lastLine(error) });
  }
};
function lastLine(error) {
  const lines = String(error instanceof Error ? error.message : error).trim().split("\n");
  return lines.at(-1);
}
