// Runs commands that must fail: with a message on stderr, the given exit code, nothing on stdout, and no changed file.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { buildCommandLine, type CommandLine } from "./command-line.ts";

/** Arguments of a run that takes a fraction of a second. */
export const GRID = [
  ...["hypergrid", "--side", "4", "--hidden", "8", "--batch", "8"],
  ...["--iterations", "5", "--samples", "5"],
];

export interface FailingCommands {
  readonly cli: CommandLine;
  /** Runs a command that must fail with this exit code. Returns its stderr without the prefix "gflownet: ". */
  errorText(args: readonly string[], code: 1 | 2): string;
  /** Like `errorText`, for a message of one line. `@` replaces the path of the folder, `gflownet` the command in hints. */
  errorLine(args: readonly string[], code: 1 | 2): string;
}

/**
 * Creates a folder that contains `run` (a complete run), `begun` (a run without a checkpoint), `folder` (a folder that
 * is not a run) and `file.txt`. Call it at the top level of a test file.
 */
export function failingCommands(): FailingCommands {
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

  function errorText(args: readonly string[], code: 1 | 2): string {
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

  function errorLine(args: readonly string[], code: 1 | 2): string {
    const text = errorText(args, code);
    expect(text).not.toContain("\n");
    return text.replaceAll(`${cli.folder}/`, "@/").replaceAll(cli.command, "gflownet");
  }
  return { cli, errorText, errorLine };
}

/** The SHA-256 of every file in the folder, by path. */
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
