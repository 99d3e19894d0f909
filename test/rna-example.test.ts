// Tests of examples/rna/score.py: its protocol, its messages, and, where ViennaRNA is installed, its energies.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const script = "examples/rna/score.py";
const python = process.env.GFLOWNET_PYTHON || "python3";
const has = (code: string) => spawnSync(python, ["-c", code]).status === 0;
const noPython = has("pass") ? "" : ` (skipped: ${python} cannot be started)`;
const noVienna = has("import RNA") ? "" : ` (skipped: ${python} cannot import RNA; set GFLOWNET_PYTHON)`;

describe.skipIf(noPython !== "")(`the RNA example${noPython}`, () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rna-"));
    // A stand-in whose energy is minus the length of its second string, so that the protocol can be tested alone.
    const fake = [
      "class Duplex:",
      "    def __init__(self, energy): self.energy = energy",
      "def duplexfold(target, string): return Duplex(-float(len(string)))",
    ];
    writeFileSync(join(folder, "RNA.py"), fake.join("\n"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const environment = () => ({ ...process.env, PYTHONPATH: folder });

  test("prints one number per string, in order", () => {
    const output = execFileSync(python, [script, "RNA2"], {
      ...{ input: "ACGU\nGG\n\n", encoding: "utf8", env: environment() },
    });
    // The stand-in gives every string the energy of a perfect match.
    expect(output).toBe("1.0\n1.0\n0.0\n");
  });

  test("answers each string before the next one is sent", async () => {
    const child = spawn(python, [script], { env: environment() });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      for (let i = 0; i < 3; i++) {
        child.stdin.write("ACGU\n");
        expect(await lines.next()).toEqual({ value: "1.0", done: false });
      }
    } finally {
      child.stdin.end();
      await new Promise((resolve) => child.once("close", resolve));
    }
  });

  test("says in one sentence that ViennaRNA is missing, or which targets there are", () => {
    writeFileSync(join(folder, "RNA.py"), "raise ImportError");
    const missing = spawnSync(python, [script], { encoding: "utf8", env: environment() });
    expect(missing.stderr).toBe("score.py: ViennaRNA is missing; install it with: pip install ViennaRNA\n");
    expect(missing.status).toBe(1);
    const wrong = spawnSync(python, [script, "RNA4"], { encoding: "utf8" });
    expect(wrong.stderr).toBe("score.py: the target must be RNA1, RNA2, RNA3, got RNA4\n");
  });

  test.skipIf(noVienna !== "")(`scores the reverse complement of a target as 1${noVienna}`, () => {
    const target = /"RNA1": "([ACGU]{100})"/.exec(readFileSync(script, "utf8"))![1];
    const pairs: Record<string, string> = { A: "U", C: "G", G: "C", U: "A" };
    const perfect = [...target]
      .reverse()
      .map((letter) => pairs[letter])
      .join("");
    const output = execFileSync(python, [script, "RNA1"], { input: `${perfect}\n`, encoding: "utf8" });
    expect(Number(output)).toBeCloseTo(1, 6);
    // The norm of strings of 14 letters is −36.414 for this target.
    const short = execFileSync(python, [script, "RNA1"], { input: "GGGGCCCCGGGGCC\n", encoding: "utf8" });
    expect(Number(short) * -36.414).toBeCloseTo(-29.9, 6);
  });
});
