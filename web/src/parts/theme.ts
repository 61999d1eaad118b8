/** Light or dark: as the system has it, until somebody says otherwise. */

import { keepSetting, setting } from "../model/store";

const NEXT: Record<string, string> = { auto: "light", light: "dark", dark: "auto" };
const SAID: Record<string, [string, string]> = {
  auto: ["◐", "Theme: system"],
  light: ["☀\uFE0E", "Theme: light"],
  dark: ["☾\uFE0E", "Theme: dark"],
};

export function setUpTheme(button: HTMLButtonElement): void {
  let theme = setting("theme") ?? "auto";
  const show = () => {
    document.documentElement.dataset.theme = theme;
    const [sign, name] = SAID[theme] ?? ["", ""];
    button.textContent = sign;
    button.title = name;
    button.setAttribute("aria-label", name);
  };
  if (!(theme in NEXT)) theme = "auto";
  show();
  button.addEventListener("click", () => {
    theme = NEXT[theme] ?? "auto";
    keepSetting("theme", theme);
    show();
  });
}
