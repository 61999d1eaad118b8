/** Keeps the files of the static site, so that it works without a network after the first visit. */

export {}; // a module of its own: its names are not those of the page

/** Written before this text by `milp-pips site`: a hash of all files, and their addresses. */
declare const SITE: { version: string; files: string[] };

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Event {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  addEventListener(kind: string, listener: (event: never) => void): void;
};
const { scope } = worker.registration;
const files = new Set(SITE.files.map((name) => new URL(name, scope).href));
// other sites may share the host, and so its caches
const prefix = `milp-pips ${scope} `;
const name = prefix + SITE.version;

worker.addEventListener("install", (event: Lasting) => {
  const requests = [...files].map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(requests)));
});

worker.addEventListener("activate", (event: Lasting) => {
  const clear = async () => {
    const old = (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== name);
    await Promise.all(old.map((other) => caches.delete(other)));
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});

worker.addEventListener("fetch", (event: Fetching) => {
  const { request } = event;
  const address = request.url.replace(/[?#].*/, "").replace(/\/index\.html$/, "/");
  if (request.method !== "GET" || !files.has(address)) return;
  const answer = async () => (await (await caches.open(name)).match(address)) ?? fetch(request);
  event.respondWith(answer());
});
