// The JSON Schema of problem files, for editors. It is made from the table of keys; `npx tsx scripts/problem-schema.ts`
// writes it to schema/problem.schema.json.

import type { JsonSchema } from "../settings/kinds.ts";
import { PROBLEM_SHAPE } from "./problem-keys.ts";

export function problemSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Problem file of gflownet",
    description: "An alphabet, a length and a scorer, with constraints, noise and known strings.",
    ...PROBLEM_SHAPE.schema,
  };
}
