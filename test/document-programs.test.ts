// The TypeScript programs in README.md, docs/trained-model.md and docs/engine.md run as printed.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";

/** The source file of an export of the package, such as `.` or `./gfn`. */
function source(part: string): string {
  const target = JSON.parse(readFileSync("package.json", "utf8")).exports[part];
  const exported: string = target.default ?? target;
  return resolve(exported.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
}

/** The lines of a document's first program; imports of the package are replaced by its source files. */
function programIn(file: string): string[] {
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
  return code
    .split("\n")
    .map((line) =>
      line.replace(/from "gflownet(\/\w+)?"/, (_, part = "") => `from ${JSON.stringify(source(`.${part}`))}`),
    );
}

/** Runs a program and returns its output. It runs in this process, where the library is loaded already. */
async function run(program: readonly string[]): Promise<string> {
  // The folder is inside the project, so that imports of packages resolve.
  const folder = mkdtempSync(join("test", ".program-"));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    writeFileSync(join(folder, "program.ts"), program.join("\n"));
    await import(resolve(folder, "program.ts"));
    return log.mock.calls.map((words) => `${words.join(" ")}\n`).join("");
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
}

test("README.md: mean score and oracle calls rise", async () => {
  const [before, after] = (await run(programIn("README.md")))
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  expect(after[0]).toBeGreaterThan(before[0]);
  expect(after[1]).toBeGreaterThan(before[1]);
});

test("docs/trained-model.md: a reopened run gives the same samples", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gflownet-document-"));
  const program = programIn("docs/trained-model.md").map((line) =>
    line.replaceAll('"runs/mine"', JSON.stringify(join(folder, "mine"))),
  );
  try {
    const lines = (await run(program)).trim().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[4]).toBe(
      lines
        .slice(0, 3)
        .map((line) => line.split(" ")[0])
        .join(","),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("docs/engine.md: the loss falls over 200 calls", async () => {
  const lines = programIn("docs/engine.md");
  const call = lines.findIndex((line) => line.startsWith("const { loss } = await step.run"));
  const program = [
    "const x = Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i));",
    "const y = Float32Array.from({ length: 256 }, (_, i) => x[4 * i] * x[4 * i + 1]);",
    ...lines.slice(0, call),
    "const first = (await step.run({ x, y })).loss[0];",
    "for (let i = 0; i < 198; i++) await step.run({ x, y });",
    lines[call],
    "console.log(JSON.stringify({ first, last: loss[0] }));",
  ];
  const { first, last } = JSON.parse(await run(program));
  expect(last).toBeLessThan(first / 4);
});
