import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandName } from "./command-name.ts";

const NPX = { npm_lifecycle_event: "npx", npm_lifecycle_script: "'gflownet'", npm_command: "exec" };
const here = (...names: readonly string[]) => join(process.cwd(), ...names);

function nameOf(script: string, env: Readonly<Record<string, string>> = {}, platform = "linux"): string {
  return commandName({ script, env, platform });
}

describe("the command in hints is the one that the user typed:", () => {
  test.each([
    ["npx gflownet", here("node_modules/.bin/gflownet"), NPX],
    [
      "npx gflownet",
      here("node_modules/.bin/gflownet"),
      { ...NPX, npm_config_user_agent: "npm/11.0 node/v20" },
    ],
    [
      "yarn gflownet",
      here("node_modules/.bin/gflownet"),
      { ...NPX, npm_config_user_agent: "yarn/1.22 npm/?" },
    ],
    ["pnpm exec gflownet", here("x/gflownet"), { ...NPX, npm_config_user_agent: "pnpm/9.0 npm/?" }],
    ["bunx gflownet", here("x/gflownet"), { ...NPX, npm_config_user_agent: "bun/1.2 npm/?" }],
    // A script of the user's package, or `npm start` of a clone: the command itself is what can be typed next.
    [
      "npx gflownet",
      here("x/gflownet"),
      { npm_lifecycle_event: "nightly", npm_lifecycle_script: "gflownet train" },
    ],
    [
      "npx gflownet",
      here("src/cli/main.ts"),
      { npm_lifecycle_event: "start", npm_lifecycle_script: "tsx src/cli/main.ts train" },
    ],
    [
      "npm run gflownet --",
      here("src/cli/main.ts"),
      { npm_lifecycle_event: "gflownet", npm_lifecycle_script: "tsx src/cli/main.ts" },
    ],
    ["gflownet", "/usr/local/bin/gflownet", { PATH: "/usr/bin:/usr/local/bin" }],
    ["./gflownet", here("gflownet"), { PATH: "/usr/bin" }],
    ["node_modules/.bin/gflownet", here("node_modules/.bin/gflownet"), { PATH: "/usr/bin" }],
    ["node dist/cli/main.js", here("dist/cli/main.js"), {}],
    ["node '/some where/dist/cli/main.js'", "/some where/dist/cli/main.js", {}],
    ["npx tsx src/cli/main.ts", here("src/cli/main.ts"), {}],
    // Variables that belong to a program which started this one.
    [
      "node dist/cli/main.js",
      here("dist/cli/main.js"),
      { npm_lifecycle_event: "npx", npm_lifecycle_script: "'vitest'" },
    ],
    [
      "npx tsx src/cli/main.ts",
      here("src/cli/main.ts"),
      { npm_lifecycle_event: "test", npm_lifecycle_script: "vitest run" },
    ],
  ])("%s", (name, script, env) => {
    expect(nameOf(script, env as Record<string, string>)).toBe(name);
  });

  test("a command on Windows starts the script inside the package", () => {
    expect(nameOf("C:\\npm\\node_modules\\gflownet\\dist\\cli\\main.js", {}, "win32")).toBe("gflownet");
  });
});

test("no message in src names a command by itself: hints come from commandLine, remedies of the library from the command line", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const commands = "tasks|train|evaluate|sample|limit|export|report|compare|forecast|runs|inspect|help";
  const inCode = new RegExp(`\\bgflownet (${commands})\\b`);
  const found = files.flatMap((file) =>
    readFileSync(join("src", file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && inCode.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([
    `report/page.ts: export const GENERATOR_TAG = '<meta name="generator" content="gflownet report">';`,
  ]);
});
