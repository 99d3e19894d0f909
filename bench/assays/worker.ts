// Executes one measurement of the assays benchmark in this process and prints its result as one JSON object.
//
// Usage: assays/worker.ts MEASUREMENT, a JSON object.

import { type Measurement, measure } from "./measure.ts";
import { METHODS } from "./methods.ts";
import { problemNamed } from "./problems.ts";

const measurement = JSON.parse(process.argv[2]) as Measurement;
const result = await measure(problemNamed(measurement.problem), METHODS[measurement.method], measurement);
console.log(JSON.stringify(result));
