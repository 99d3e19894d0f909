// Writes the tables of settings in docs/formats.md: npx tsx scripts/config-table.ts

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { GROUPS, KEY_NAMES, keyOf } from "../src/cli/config/keys.ts";

const FILE = "docs/formats.md";
const BEGIN = "<!-- settings: npx tsx scripts/config-table.ts -->\n";
const END = "<!-- end of settings -->\n";

/** A document with its settings as `src/cli/config/keys.ts` has them. */
export function withSettings(document: string): string {
  const [before, after] = [document.split(BEGIN)[0], document.split(END)[1]];
  if (after === undefined) throw new Error(`there is no ${BEGIN.trim()} or no ${END.trim()}`);
  return `${before}${BEGIN}\n${settings()}\n${END}${after}`;
}

function settings(): string {
  return Object.entries(GROUPS)
    .map(([group, heading]) => {
      const rows = KEY_NAMES.filter((name) => keyOf(name).group === group).map((name) => {
        const { kind, help, default: byDefault, task } = keyOf(name);
        const fallback = "value" in byDefault ? `\`${JSON.stringify(byDefault.value)}\`` : byDefault.depends;
        return [`\`${name}\``, kind.rule, fallback, task ? `${task}: ${help}` : help];
      });
      const table = [
        [heading.toLowerCase(), "must be", "default", ""],
        ["---", "---", "---", "---"],
        ...rows,
      ];
      return `${table.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")}\n`;
    })
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(FILE, withSettings(readFileSync(FILE, "utf8")));
}
