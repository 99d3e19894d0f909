// The README is true: its program runs as printed.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

/** The source of a subpath export. */
function source(part: string): string {
  const exported = JSON.parse(readFileSync("package.json", "utf8")).exports[`./${part}`] as string;
  return resolve(exported.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
}

test("the README's program trains: its loss falls over 200 calls", () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
  const lines = code
    .split("\n")
    .map((line) =>
      line.replace(/from "gflownet\/(\w+)"/, (_, part) => `from ${JSON.stringify(source(part))}`),
    );
  const call = lines.findIndex((line) => line.startsWith("const { loss } = await step.run"));
  const body = lines.slice(0, call);
  const program = [
    "const x = Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i));",
    "const y = Float32Array.from({ length: 256 }, (_, i) => x[4 * i] * x[4 * i + 1]);",
    ...body,
    "const first = (await step.run({ x, y })).loss[0];",
    "for (let i = 0; i < 198; i++) await step.run({ x, y });",
    lines[call],
    "console.log(JSON.stringify({ first, last: loss[0] }));",
  ].join("\n");
  // Inside the project, so that its packages are found.
  const folder = mkdtempSync(join("test", ".readme-"));
  try {
    writeFileSync(join(folder, "program.ts"), program);
    const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", join(folder, "program.ts")], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const { first, last } = JSON.parse(stdout);
    expect(last).toBeLessThan(first / 4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
