// Which rows of a long table are inside its scrolled window: only these are put into the page.

export interface VisibleRows {
  /** First row, and the row after the last. */
  readonly from: number;
  readonly to: number;
  /** Heights of the rows before and after, in pixels. */
  readonly before: number;
  readonly after: number;
}

/** The rows of a window, with some more at both ends so that fast scrolling shows no gap. */
export function visibleRows({
  count,
  rowHeight,
  top,
  height,
  margin = 6,
}: {
  readonly count: number;
  readonly rowHeight: number;
  /** How far the window is scrolled, and its height. */
  readonly top: number;
  readonly height: number;
  readonly margin?: number;
}): VisibleRows {
  const last = Math.max(0, Math.ceil(height / rowHeight));
  const first = Math.min(Math.max(0, Math.floor(top / rowHeight)), Math.max(0, count - last));
  const from = Math.max(0, first - margin);
  const to = Math.min(count, first + last + margin + 1);
  return { from, to, before: from * rowHeight, after: (count - to) * rowHeight };
}
