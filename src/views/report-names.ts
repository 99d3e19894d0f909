// File names of the figures and tables of a report: readable, and the same for the same entries.

import type { Section } from "../report/page.ts";
import type { ReportData } from "./page-data.ts";

/** Something with the path of its file, without an ending; folders are separated by `/`. */
export interface Named {
  readonly path: string;
}

/** Parts of one entry stand in a folder of their own if there are several. */
export function inFolder({ details }: ReportData, id: string, name: string): string {
  return details.length > 1 ? `${slug(id)}/${name}` : name;
}

export function ofEntry<T extends { readonly entry: string }>(items: readonly T[], id: string): T[] {
  return items.filter(({ entry }) => entry === id);
}

export function sectionsOf({ pages }: ReportData, id: string): readonly Section[] {
  return ofEntry(pages, id).flatMap(({ page }) => page.sections);
}

/** Characters of a file name. */
const LONGEST = 60;

/** A text as part of a file name: letters, digits and hyphens. LaTeX takes what follows a point for the ending. */
export function slug(text: string): string {
  const words = text
    .normalize("NFKD")
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return words.slice(0, LONGEST).replaceAll(/^-+|-+$/g, "") || "unnamed";
}

/** Parts of the same path get a number. */
export function withUniquePaths<T extends Named>(items: readonly T[]): T[] {
  const taken = new Set<string>();
  return items.map((item) => {
    let path = item.path;
    for (let number = 2; taken.has(path); number++) path = `${item.path}-${number}`;
    taken.add(path);
    return { ...item, path };
  });
}
