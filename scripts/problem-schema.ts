// Writes the JSON Schema of problem files and the table of their keys in docs/problem-file.md:
// npx tsx scripts/problem-schema.ts

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { problemSchema } from "../src/problem/json-schema.ts";
import {
  CONSTRAINT_FIELDS,
  NOISE_FIELDS,
  OBJECTIVE_FIELDS,
  ORACLES,
  PROBLEM_FIELDS,
  REWARD_FIELDS,
} from "../src/problem/problem-keys.ts";
import type { Fields } from "../src/problem/shapes.ts";

const FILE = "docs/problem-file.md";
const BEGIN = "<!-- keys: npx tsx scripts/problem-schema.ts -->\n";
const END = "<!-- end of keys -->\n";

/** The document with its table of keys replaced by one that is generated from the code. */
export function withKeys(document: string): string {
  const [before, after] = [document.split(BEGIN)[0], document.split(END)[1]];
  if (after === undefined) throw new Error(`the document must contain ${BEGIN.trim()} and ${END.trim()}`);
  return `${before}${BEGIN}\n${tables()}\n${END}${after}`;
}

function tables(): string {
  return [
    table("key", "", PROBLEM_FIELDS),
    ...Object.entries(ORACLES).map(([kind, fields]) => table(`oracle with \`${kind}\``, "oracle.", fields)),
    table("each of the objectives", "", OBJECTIVE_FIELDS),
    table("constraints", "constraints.", CONSTRAINT_FIELDS),
    table("noise", "noise.", NOISE_FIELDS),
    table("reward", "reward.", REWARD_FIELDS),
  ].join("\n");
}

function table(heading: string, prefix: string, fields: Fields): string {
  const rows = Object.entries(fields).map(([name, { shape, help, required, byDefault }]) => [
    `\`${prefix}${name}\``,
    shape.rule,
    byDefault ?? (required ? "required" : "none"),
    help,
  ]);
  const lines = [[heading, "must be", "default", "meaning"], ["---", "---", "---", "---"], ...rows];
  return `${lines.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync("schema", { recursive: true });
  writeFileSync("schema/problem.schema.json", `${JSON.stringify(problemSchema(), null, 2)}\n`);
  writeFileSync(FILE, withKeys(readFileSync(FILE, "utf8")));
}
