// Reads texts, marks and coordinates out of the SVG of a chart.

/** The content of all text elements, in order. */
export function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
}

/** The content of each SVG group of a kind of mark, such as "line" or "dot". */
export function marks(svg: string, kind: string): string[] {
  const groups = svg.matchAll(new RegExp(`<g [^>]*aria-label="${kind}"[^>]*>(.*?)</g>`, "g"));
  return [...groups].map(([, content]) => content);
}

/** The numeric values of an attribute, in order. */
export function attributes(text: string, name: string): number[] {
  return [...text.matchAll(new RegExp(`\\b${name}="([^"]+)"`, "g"))].map(([, value]) => Number(value));
}

/** The coordinates in the path of a mark, and its number of segments. */
export function pathOf(mark: string): { readonly numbers: number[]; readonly segments: number } {
  const d = /d="([^"]+)"/.exec(mark)?.[1] ?? "";
  return { numbers: (d.match(/-?[\d.]+/g) ?? []).map(Number), segments: d.split("M").length - 1 };
}
