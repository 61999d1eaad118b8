/** Carrying something with mouse, pen or finger: it begins once the pointer has moved, so that a tap stays a tap. */

const SLOP = 6;

export interface Carrying {
  /** What follows the pointer. */
  image: HTMLElement;
  over(x: number, y: number): void;
  drop(x: number, y: number): void;
  /** Called at the end, whether it was dropped or not. */
  end(): void;
}

export function watchForDrag(element: HTMLElement, begin: (event: PointerEvent) => Carrying | null): void {
  element.addEventListener("pointerdown", (down) => {
    if (!down.isPrimary || down.button !== 0) return;
    let carrying: Carrying | null = null;
    const leaving = new AbortController();
    const { signal } = leaving;
    // a finger hides what lies under it
    const lift = down.pointerType === "touch" ? 36 : 0;

    const move = (event: PointerEvent) => {
      if (event.pointerId !== down.pointerId) return;
      if (!carrying) {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < SLOP) return;
        carrying = begin(down);
        if (!carrying) return finish();
        document.body.append(carrying.image);
        document.body.classList.add("carrying");
      }
      event.preventDefault();
      carrying.image.style.translate = `${event.clientX}px ${event.clientY - lift}px`;
      carrying.over(event.clientX, event.clientY - lift);
    };
    const finish = () => {
      leaving.abort();
      document.body.classList.remove("carrying");
      carrying?.image.remove();
      carrying?.end();
    };
    const up = (event: PointerEvent) => {
      if (event.pointerId !== down.pointerId) return;
      if (carrying) {
        swallowClick();
        carrying.drop(event.clientX, event.clientY - lift);
      }
      finish();
    };
    window.addEventListener("pointermove", move, { signal });
    window.addEventListener("pointerup", up, { signal });
    window.addEventListener("pointercancel", finish, { signal });
    window.addEventListener("keydown", (event) => event.key === "Escape" && finish(), { signal });
  });
}

/** The click that follows a drag is none. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 50);
}
