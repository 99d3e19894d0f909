// The command line as a user meets it: in a process of its own.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "gflownet-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

function gflownet(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "src/cli/main.ts", ...args],
    {
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

const quick = ["train", "--seconds", "0.3", "--hidden", "8", "--batch", "4"];

describe("train", () => {
  test("prints rate and loss, and saves a policy that inspect describes", () => {
    const file = join(folder, "policy.onnx");
    const { status, stdout } = gflownet(...quick, "--save", file);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /Training on native \(1 thread\): hidden 8, batch 4, stick 0.25; a hand-made score/,
    );
    expect(stdout).toMatch(/\d+ iterations +\d+\/s +loss \d+\.\d+ +dynamics \d\.\d+ \(floor 0\.6886\)/);
    const inspected = gflownet("inspect", file);
    expect(inspected.stdout).toContain(
      "logPolicy: Log-probability of each next letter, in the order ACGT. float32[4, 4]",
    );
    expect(readdirSync(folder).filter((name) => name !== "damaged.onnx")).toEqual(["policy.onnx"]);
  });

  test("prints one JSON object per line when asked, on either engine", () => {
    const { status, stdout } = gflownet(...quick, "--engine", "jax", "--json");
    expect(status).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ kind: "start", engine: "jax", hidden: 8 });
    expect(events.at(-1)).toMatchObject({ kind: "end" });
    expect(events.at(-1).iterations).toBeGreaterThan(0);
    expect(events.at(-1).rate).toBeGreaterThan(0);
  });
});

describe("a mistake gets one sentence, a non-zero exit code and leaves no file", () => {
  const damaged = join(folder, "damaged.onnx");
  writeFileSync(damaged, "not a model");
  const absent = join(folder, "absent.onnx");
  test.each([
    [["train", "--hidden", "0"], 2, "argument '0' is invalid. It must be a whole number of at least 1."],
    [["train", "--batch", "-3"], 2, "argument '-3' is invalid. It must be a whole number of at least 1."],
    [["train", "--hidden", "many"], 2, "argument 'many' is invalid. It must be a number."],
    [["train", "--stick", "1"], 2, "--stick must be in [0, 1), got 1"],
    [["train", "--engine", "abacus"], 2, "argument 'abacus' is invalid. Allowed choices are native, jax."],
    [["train", "--hiden", "64"], 2, "unknown option '--hiden' (Did you mean --hidden?)"],
    [["trian"], 2, "unknown command 'trian' (Did you mean train?)"],
    [["train", "--hidden", "400000"], 1, /train: needs about .* GiB of memory, and .* GiB are free/],
    [["train", "--save", join(folder, "no", "policy.onnx")], 1, `${join(folder, "no")} does not exist.`],
    [["train", "--save", ""], 2, "--save needs the name of a file"],
    [["train", "--save", folder], 2, `--save: ${folder} is a folder; give the name of a file`],
    [["train", "--save", damaged], 2, `--save: ${damaged} exists; remove it or choose another name`],
    [["train", "--threads", "100000"], 1, /train: threads must be at most \d+ on this machine, got 100000/],
    [["inspect", damaged], 1, `${damaged} is not a whole .onnx file`],
    [["inspect", absent], 1, `${absent} does not exist.`],
    [["inspect", folder], 1, `${folder} is a folder, not a file.`],
  ] as const)("%j", (args, code, message) => {
    const { status, stdout, stderr } = gflownet(...args);
    expect(status).toBe(code);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    if (typeof message === "string") expect(stderr).toContain(message);
    else expect(stderr).toMatch(message);
    expect(existsSync(absent)).toBe(false);
  });

  test("a loss that is no longer finite ends training with its name", () => {
    const { status, stderr } = gflownet(...quick, "--seconds", "20", "--learning-rate", "1e30");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^gflownet: train: .*(loss|dynamicsLoss).* not finite in call \d+; /);
  });
});
