// Writes the tables of config keys in docs/formats.md: npx tsx scripts/config-table.ts

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONFIG_KEYS, tasksWith } from "../src/config/config.ts";
import { GROUPS } from "../src/settings/keys.ts";

const FILE = "docs/formats.md";
const BEGIN = "<!-- settings: npx tsx scripts/config-table.ts -->\n";
const END = "<!-- end of settings -->\n";

/** The document with its tables of config keys replaced by tables that are generated from the code. */
export function withSettings(document: string): string {
  const [before, after] = [document.split(BEGIN)[0], document.split(END)[1]];
  if (after === undefined) throw new Error(`the document must contain ${BEGIN.trim()} and ${END.trim()}`);
  return `${before}${BEGIN}\n${settings()}\n${END}${after}`;
}

function settings(): string {
  // A group without config keys belongs to another table of options.
  return Object.entries(GROUPS)
    .filter(([group]) => Object.values(CONFIG_KEYS).some((key) => key.group === group))
    .map(([group, heading]) => {
      const rows = Object.entries(CONFIG_KEYS)
        .filter(([, key]) => key.group === group)
        .map(([name, { kind, help, default: byDefault }]) => {
          const fallback =
            "value" in byDefault ? `\`${JSON.stringify(byDefault.value)}\`` : byDefault.depends;
          const owners = tasksWith(name);
          return [
            `\`${name}\``,
            kind.rule,
            fallback,
            owners?.length === 1 ? `${owners[0].name}: ${help}` : help,
          ];
        });
      const table = [
        [heading.toLowerCase(), "must be", "default", "meaning"],
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
