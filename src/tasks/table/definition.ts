// Definition of the task `table`, and how to build it.

import { defineTask } from "../task-definition.ts";
import { stringCount, TABLE_KEYS, type TableConfigOptions, tableIssues } from "./options.ts";

export const table = defineTask<TableConfigOptions>({
  name: "table",
  summary: "strings with scores from a table of your own",
  keys: TABLE_KEYS,
  needs: ["scores"],
  issues: tableIssues,
  async derive({ variable = false }, read) {
    const [{ readScores, stringsOf }, { path, text }] = await Promise.all([
      import("./read-scores.ts"),
      read("scores"),
    ]);
    return stringsOf(readScores(text, path), variable);
  },
  async load() {
    const { tableEnvironment, tableTask } = await import("./index.ts");
    return {
      sizes: (options) => ({ objects: stringCount(options), modes: 0 }),
      environment: tableEnvironment,
      task: (options, { scores: file }) => tableTask({ ...options, table: file.text, source: file.path }),
    };
  },
});
