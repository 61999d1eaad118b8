/** Elements from code: whatever comes from a file gets onto the page as text alone. */

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

function fill(element: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function")
      element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, properties, children);
  return element;
}

export function button(
  label: string,
  onclick: (event: MouseEvent) => void,
  properties: Properties = {},
): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...properties }, label);
}

/** A picture of ours, as an image: nothing in it runs. */
export function picture(svg: string, alt: string): HTMLImageElement {
  return h("img", {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    alt,
    class: "picture",
  });
}

const spoken = () => document.getElementById("spoken") as HTMLElement;

/** Says something to those who do not see it. */
export function announce(text: string): void {
  const region = spoken();
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Offers a text as a file. */
export function download(name: string, text: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Offers bytes, given in base64, as a file. */
export function downloadBytes(name: string, base64: string, type: string): void {
  h("a", { href: `data:${type};base64,${base64}`, download: name }).click();
}

/** A name of a puzzle as a file may have it. */
export function fileName(name: string, suffix: string): string {
  return `${
    name
      .replace(/[^\p{L}\p{N} _.-]+/gu, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 80) || "puzzle"
  }.${suffix}`;
}
