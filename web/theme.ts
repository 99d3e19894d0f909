// Light and dark: as the system says, or as the reader chose. Printed pages are light, with everything on them open.

import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "gflownet-theme";
const root = document.documentElement;

export const theme = signal<Theme>(storedTheme());
/** Grows when colours change, so that canvases are drawn again. */
export const themeRevision = signal(0);

/** Colours of the page by variable, until they change. */
const colours = new Map<string, string>();

/** Applies the stored theme and follows the system and the printer. */
export function followTheme(): void {
  apply(theme.peek());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  // A preview of the printed page may come without these events.
  matchMedia("print").addEventListener("change", ({ matches }) => print(matches));
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // A page from disk may have no storage; the choice then lasts until the page is closed.
  }
  apply(chosen);
}

/** The present value of a CSS variable that holds a colour, for a canvas. */
export function colourOf(variable: string): string {
  let colour = colours.get(variable);
  if (colour === undefined) {
    const probe = document.createElement("span");
    probe.style.color = `var(${variable})`;
    probe.hidden = true;
    document.body.append(probe);
    colour = getComputedStyle(probe).color;
    probe.remove();
    colours.set(variable, colour);
  }
  return colour;
}

function apply(chosen: Theme): void {
  if (chosen === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", chosen);
  changed();
}

/** Paper is light, and nothing on it can be opened by a click. */
function print(isPrinting: boolean): void {
  apply(isPrinting ? "light" : theme.peek());
  for (const closed of document.querySelectorAll<HTMLDetailsElement>("details.prints")) {
    closed.open = isPrinting;
  }
}

function changed(): void {
  colours.clear();
  themeRevision.value++;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
