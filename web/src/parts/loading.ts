/** Loads Python in the background, keeps the site for visits without a network, and says how that goes. */

import { type Loading, warmUp } from "../ask/worker-client";

const SAID: Record<Loading, string> = {
  loading: "Loading hints…",
  ready: "Hints are ready",
  failed: "Hints could not be loaded",
};
/** Milliseconds after which what is good news no more is taken away. */
const SHOWN = 8000;

export async function loadInBackground(place: HTMLElement): Promise<void> {
  let hiding = 0;
  const show = (state: Loading) => {
    clearTimeout(hiding);
    place.textContent = SAID[state];
    place.dataset.state = state;
    if (state === "ready") hiding = window.setTimeout(() => (place.textContent = ""), SHOWN);
  };
  show("loading");
  // the files are fetched once: into the cache, and from there
  await kept().catch(() => undefined);
  warmUp(show);
}

/** Resolves once the service worker has all files; at once where there can be none. */
async function kept(): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker || serviceWorker.controller) {
    void serviceWorker?.register("service-worker.js").catch(() => undefined); // looks for a newer version
    return;
  }
  const { installing, waiting } = await serviceWorker.register("service-worker.js");
  const coming = installing ?? waiting;
  if (!coming) return;
  await new Promise<void>((resolve) => {
    const look = () => ["activated", "redundant"].includes(coming.state) && resolve();
    coming.addEventListener("statechange", look);
    look();
  });
}
