// src/service-worker.ts
var worker = self;
var { scope } = worker.registration;
var files = new Set(SITE.files.map((name2) => new URL(name2, scope).href));
var prefix = `milp-pips ${scope} `;
var name = prefix + SITE.version;
worker.addEventListener("install", (event) => {
  const requests = [...files].map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(requests)));
});
worker.addEventListener("activate", (event) => {
  const clear = async () => {
    const old = (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== name);
    await Promise.all(old.map((other) => caches.delete(other)));
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = request.url.replace(/[?#].*/, "").replace(/\/index\.html$/, "/");
  if (request.method !== "GET" || !files.has(address)) return;
  const answer = async () => await (await caches.open(name)).match(address) ?? fetch(request);
  event.respondWith(answer());
});
