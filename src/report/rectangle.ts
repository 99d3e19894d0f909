// Position and size of a panel. Apart from plot.ts, so that declarations of charts do not reach the types of Plot, which
// need packages that are not installed.

/** Position and size of a panel inside its figure, in pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
