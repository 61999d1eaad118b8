// Builds the page from src/ into milp_pips/extras/web/page/, or with --check compares what lies there with what would be built.
import { build } from "esbuild";
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { join, dirname, basename } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, "..", "milp_pips", "extras", "web", "page");

const bundled = await build({
  absWorkingDir: here,
  entryPoints: ["src/page.ts", "src/worker.ts", "src/service-worker.ts", "src/page.css"],
  outdir: page,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  write: false,
  logLevel: "warning",
});
const files = new Map(bundled.outputFiles.map((file) => [basename(file.path), file.text]));
for (const name of ["index.html", "icon.svg", "manifest.webmanifest"])
  files.set(name, await readFile(join(here, "src", name), "utf8"));

if (process.argv.includes("--check")) {
  const stale = [];
  for (const [name, text] of files)
    if ((await readFile(join(page, name), "utf8").catch(() => "")) !== text) stale.push(name);
  if (stale.length) {
    console.error(`not what the sources build: ${stale.join(", ")}; run npm run build`);
    process.exit(1);
  }
  console.log("the page is what the sources build");
} else {
  await mkdir(page, { recursive: true });
  for (const [name, text] of files) {
    await writeFile(join(page, name), text);
    console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
  }
}
