// Writes the JSON Schema of problem files: npx tsx scripts/problem-schema.ts

import { mkdirSync, writeFileSync } from "node:fs";
import { problemSchema } from "../src/problem/json-schema.ts";

mkdirSync("schema", { recursive: true });
writeFileSync("schema/problem.schema.json", `${JSON.stringify(problemSchema(), null, 2)}\n`);
