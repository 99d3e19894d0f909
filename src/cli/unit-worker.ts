// Entry point of the child process that runs units of work.

import { serveUnits } from "../executor/serve-units.ts";
import { UNIT_KINDS } from "../units/kinds.ts";
import { explain } from "./report-error.ts";

serveUnits(UNIT_KINDS, explain);
