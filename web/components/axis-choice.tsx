// What the horizontal axes of all charts count.

import type { XAxis } from "../../src/views/page-data.ts";
import { useApp } from "../app.ts";
import { Segments } from "./parts.tsx";

export const X_AXES: readonly XAxis[] = ["iteration", "calls", "seconds"];

const NAMES: Readonly<Record<XAxis, string>> = {
  iteration: "Iterations",
  calls: "Calls",
  seconds: "Seconds",
};

export function AxisChoice({ axes }: { readonly axes: readonly XAxis[] }) {
  const app = useApp();
  return (
    <Segments
      label="Horizontal axis"
      value={app.state.value.x}
      options={axes.map((axis) => [axis, NAMES[axis]] as const)}
      onChange={(x) => app.go({ x, zoom: null, at: null })}
    />
  );
}
