// Does one assignment of the quality benchmark in this process and prints its result as one JSON object.
//
// Usage: quality/worker.ts ASSIGNMENT, a JSON object.

import type { Assignment } from "./settings.ts";
import { perform } from "./work.ts";

console.log(JSON.stringify(await perform(JSON.parse(process.argv[2]) as Assignment)));
