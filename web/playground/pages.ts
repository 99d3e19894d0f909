// Which page of the playground is open: the part of the address before the settings, such as #/tour/2.

import { signal } from "@preact/signals";
import { address } from "./address.ts";
import { TOUR } from "./tour-steps.ts";

export type PageName = "play" | "tour" | "teachers";

export interface OpenPage {
  readonly name: PageName;
  /** Step of the tour, counted from 0. */
  readonly step: number;
}

export const page = signal<OpenPage>({ name: "play", step: 0 });

/** The page of an address; the playground for one that makes no sense. */
export function pageOf(hash: string): OpenPage {
  const [, name, number] = hash.split("?")[0].split("/");
  if (name === "teachers") return { name, step: 0 };
  if (name !== "tour") return { name: "play", step: 0 };
  const step = Math.floor(Number(number ?? 1)) - 1;
  return { name, step: Math.max(0, Math.min(TOUR.length - 1, Number.isFinite(step) ? step : 0)) };
}

/** The address of a page, with the settings. */
export function hashOf({ name, step }: OpenPage, query: string): string {
  const path = name === "play" ? "#/" : name === "tour" ? `#/tour/${step + 1}` : "#/teachers";
  return `${path}?${query}`;
}

/** Opens a page, as a step of the history. The settings stay. */
export function openPage(name: PageName, step = 0): void {
  page.value = { name, step };
  address().push(hashOf(page.value, address().read().split("?")[1] ?? ""));
  if (name !== "tour") scrollTo(0, 0);
}

export function followPages(): void {
  const read = () => {
    page.value = pageOf(address().read());
  };
  address().listen(read);
  read();
}
