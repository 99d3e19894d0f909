// Writes the JSON Schema of playground files: npx tsx scripts/playground-schema.ts

import { writeFileSync } from "node:fs";
import { playgroundSchema } from "../src/formats/playground-schema.ts";

writeFileSync("schema/playground.schema.json", `${JSON.stringify(playgroundSchema(), null, 2)}\n`);
