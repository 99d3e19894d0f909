// Runs programs that documents and doc comments print, in the current process, where the library is loaded already.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { vi } from "vitest";

/** The TypeScript programs of a document. */
export function programsIn(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code);
}

/** Runs a program and returns the lines that it prints. Its folder `runs` is a temporary one. */
export async function runProgram(code: string): Promise<string[]> {
  const runs = mkdtempSync(join(tmpdir(), "gflownet-runs-"));
  // The folder of the program is inside the project, so that imports of packages resolve.
  const folder = mkdtempSync(join("test", ".program-"));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const program = code.replaceAll(/"runs(\/[^"]*)?"/g, (_, path = "") => JSON.stringify(`${runs}${path}`));
    writeFileSync(join(folder, "program.ts"), program);
    await import(resolve(folder, "program.ts"));
    return log.mock.calls.map((words) => words.join(" "));
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
    rmSync(runs, { recursive: true });
  }
}

/** The outputs that a program announces in comments: `console.log(1 + 1); // 2`. */
export function announcedOutputs(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
}
