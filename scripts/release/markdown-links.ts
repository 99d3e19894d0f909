// Relative links of packed Markdown files: finds those that lead out of the package, and replaces them by their text.

import { posix } from "node:path";

const LINK = /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)]*)?\)/g;

/** The links of a file that lead to no packed file or folder. `file`: its path in the package. */
export function deadLinks(file: string, text: string, packed: readonly string[]): string[] {
  return [...text.matchAll(LINK)].filter(([, , , path]) => !leads(file, path, packed)).map(([link]) => link);
}

/** The text with those links replaced by their text. A missing image is an error: it has no text that replaces it. */
export function withoutDeadLinks(file: string, text: string, packed: readonly string[]): string {
  return text.replaceAll(LINK, (link: string, image: string, label: string, path: string) => {
    if (leads(file, path, packed)) return link;
    if (image)
      throw new Error(`${file} shows ${path}, which is not in the package; add it to files in package.json`);
    return label;
  });
}

function leads(file: string, path: string, packed: readonly string[]): boolean {
  const target = posix.join(posix.dirname(file), path).replace(/\/$/, "");
  return packed.some((each) => each === target || each.startsWith(`${target}/`));
}
