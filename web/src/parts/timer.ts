/** Counts the time while the page is looked at, and can be hidden. */

import { keepSetting, setting } from "../model/store";
import { h } from "./dom";

export class Timer {
  readonly element: HTMLButtonElement;
  private elapsed = 0;
  private since: number | null = null;
  private hidden = setting("timer") === "hidden";

  constructor() {
    this.element = h("button", { type: "button", class: "timer plain" });
    this.element.addEventListener("click", () => {
      this.hidden = !this.hidden;
      keepSetting("timer", this.hidden ? "hidden" : "shown");
      this.show();
    });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.resume()));
    setInterval(() => this.show(), 1000);
  }

  /** Seconds so far. */
  get seconds(): number {
    return this.elapsed + (this.since === null ? 0 : (Date.now() - this.since) / 1000);
  }

  private running = false;

  start(seconds: number): void {
    this.elapsed = seconds;
    this.running = true;
    this.since = document.hidden ? null : Date.now();
    this.show();
  }

  stop(): void {
    this.pause();
    this.running = false;
    this.show();
  }

  private pause(): void {
    this.elapsed = this.seconds;
    this.since = null;
  }

  private resume(): void {
    if (this.running && this.since === null) this.since = Date.now();
  }

  private show(): void {
    const shown = this.hidden ? "⏱\uFE0E" : clock(this.seconds);
    if (this.element.textContent !== shown) this.element.textContent = shown;
    this.element.setAttribute("aria-label", this.hidden ? "Show timer" : `Timer ${shown}, hide it`);
  }
}

export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  return hours ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}
