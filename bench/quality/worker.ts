// Executes one measurement of the quality benchmark in this process and prints its result as one JSON object.
//
// Usage: quality/worker.ts MEASUREMENT, a JSON object.

import type { Measurement } from "./cases.ts";
import { measure } from "./measure.ts";

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2]) as Measurement)));
