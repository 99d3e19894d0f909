// Commands that must fail: one sentence on stderr, the right exit code, nothing on stdout, and every file as it was.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { buildCommandLine, type CommandLine } from "./command-line.ts";

/** Settings of a run that takes no time. */
export const GRID = [
  ...["hypergrid", "--side", "4", "--hidden", "8", "--batch", "8"],
  ...["--iterations", "5", "--samples", "5"],
];

export interface Mistakes {
  readonly cli: CommandLine;
  /** Runs a command that must fail, and gives what it says without its name. */
  complaint(args: readonly string[], code: 1 | 2): string;
  /** The same for one sentence; `@` is put in for the folder. */
  sentence(args: readonly string[], code: 1 | 2): string;
}

/** A folder with a run, one that is only begun, a folder of something else and a file. */
export function mistakes(): Mistakes {
  const cli = buildCommandLine();
  beforeAll(() => {
    const { status, stderr } = cli.gflownet("train", ...GRID, "--out", "run", "--quiet");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    mkdirSync(cli.at("folder"));
    writeFileSync(cli.at("folder", "thesis.txt"), "years of work");
    writeFileSync(cli.at("file.txt"), "not a model");
    mkdirSync(cli.at("begun"));
    copyFileSync(cli.at("run", "config.json"), cli.at("begun", "config.json"));
  });
  afterAll(() => cli.remove());

  function complaint(args: readonly string[], code: 1 | 2): string {
    const before = filesIn(cli.folder);
    const { status, stdout, stderr } = cli.gflownet(...args);
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringMatching(/^gflownet: .*\n/),
    });
    expect(filesIn(cli.folder)).toEqual(before);
    return stderr.slice("gflownet: ".length).trimEnd();
  }

  function sentence(args: readonly string[], code: 1 | 2): string {
    const said = complaint(args, code);
    expect(said).not.toContain("\n");
    return said.replaceAll(`${cli.folder}/`, "@/");
  }
  return { cli, complaint, sentence };
}

/** Every file with a fingerprint of what is in it. */
function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const full = join(folder, path);
      if (statSync(full).isDirectory()) return [path, "folder"];
      return [path, createHash("sha256").update(readFileSync(full)).digest("hex")];
    }),
  );
}
