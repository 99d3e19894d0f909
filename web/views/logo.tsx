// Sequence logo of samples beside that of the target.

import { logoPair } from "../../src/report/logo-pair.ts";
import type { LogoView } from "../../src/views/view-data.ts";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewProps } from "./view-props.ts";

export function Logo({ data }: ViewProps<LogoView>) {
  return <SvgFigure data={data} draw={logoPair} />;
}
