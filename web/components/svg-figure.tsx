// A static figure of src/report inside the page, in the colours of the page.

import { useMemo } from "preact/hooks";
import { pageFigure } from "../figure-theme.ts";
import { ErrorMessage } from "./parts.tsx";

/**
 * Draws when `data` changes. The page shows the notes of a view once, so its figures get none. The functions of src/report
 * escape every text that they are given.
 */
export function SvgFigure<T extends { readonly notes: readonly string[] }>({
  data,
  draw,
}: {
  readonly data: T;
  readonly draw: (data: T) => string;
}) {
  // `draw` is a function of the data alone.
  const drawn = useMemo(() => {
    try {
      return { svg: pageFigure(draw({ ...data, notes: [] })), error: null };
    } catch (error) {
      return { svg: "", error: (error as Error).message };
    }
  }, [data]);
  if (drawn.error !== null) return <ErrorMessage>The figure cannot be drawn: {drawn.error}</ErrorMessage>;
  // SVG of our own, with escaped texts.
  return <Drawing svg={drawn.svg} />;
}

/** A figure that can be scrolled, also by keyboard, where it is wider than the page. */
export function Drawing({ svg }: { readonly svg: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, those who use a keyboard cannot scroll the figure
    <figure class="figure" tabIndex={0} dangerouslySetInnerHTML={{ __html: svg }} />
  );
}
