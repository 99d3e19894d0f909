import { describe, expect, test } from "vitest";
import { CONFIG_KEYS, type Config } from "../config/config.ts";
import { addConfigFlags, CONFIG_FLAGS, configOfFlags, flagOf } from "./config-flags.ts";
import { parseInput } from "./config-input.ts";
import { InputCommand } from "./input.ts";
import { explain } from "./report-error.ts";

async function parse(args: readonly string[]): Promise<Config> {
  const command = new InputCommand("train");
  command.exitOverride().configureOutput({ writeErr: () => {} });
  addConfigFlags(command);
  const flags = configOfFlags(command.parse(args, { from: "user" }).opts());
  return parseInput({ flags, issues: command.issues });
}

async function refusal(args: readonly string[]): Promise<string> {
  return parse(args).then(
    () => "",
    (error: Error) => explain(error),
  );
}

test("a switch can be turned off", async () => {
  expect(await parse(["--no-learn-log-z"])).toEqual({ learnLogZ: false });
  expect(await parse([])).toEqual({});
});

test("negative numbers are values", async () => {
  expect(await parse(["--log-z-initial", "-3"])).toEqual({ logZInitial: -3 });
});

describe("an invalid flag", () => {
  test.each([
    ["--stick", "1", '--stick: must be a number in [0, 1), got "1"'],
    ["--stick", "", '--stick: must be a number in [0, 1), got ""'],
    ["--stick", "0x1", '--stick: must be a number in [0, 1), got "0x1"'],
    ["--batch", "0x10", '--batch: must be a whole number from 1 to 2^31 - 1, got "0x10"'],
    ["--batch", "1.5", '--batch: must be a whole number from 1 to 2^31 - 1, got "1.5"'],
    ["--batch", "Infinity", '--batch: must be a whole number from 1 to 2^31 - 1, got "Infinity"'],
    [
      "--learning-rate",
      "1e300",
      '--learning-rate: must be a number of at least 0, or a schedule from one such number to another, got "1e300"',
    ],
    ["--epsilon", "0:2", '--epsilon: must be a schedule whose to is a number in [0, 1], got "0:2"'],
    [
      "--epsilon",
      "0:1:square",
      '--epsilon: must be a schedule of the shape linear, cosine, exponential, got "0:1:square"',
    ],
    [
      "--epsilon",
      "0:1:linear:0",
      '--epsilon: must be a schedule whose until is in (0, 1], got "0:1:linear:0"',
    ],
    [
      "--epsilon",
      "0:1:linear:1:1",
      '--epsilon: must be a number in [0, 1], or a schedule from one such number to another, got "0:1:linear:1:1"',
    ],
    [
      "--epsilon",
      "0:1:exponential",
      '--epsilon: must be a schedule between positive numbers if it is exponential, got "0:1:exponential"',
    ],
    ["--hidden", "64,,64", '--hidden: must be a list of at most 32 whole numbers from 1 on, got "64,,64"'],
    ["--hidden", "64,0", '--hidden: must be a list of at most 32 whole numbers from 1 on, got "64,0"'],
    [
      "--objective",
      "klm",
      '--objective: must be one of db, tb, subtb, sdb, sdb-marginal, stb, ssubtb, kl, kl-thought, kl-literal, soft-q, eflow, got "klm"',
    ],
    ["--offline-file", " ", '--offline-file: must be the path of a file, got " "'],
  ])("%s %j is reported with flag, rule and value", async (name, text, message) => {
    expect(await refusal([name, text])).toBe(message);
  });

  test("is reported together with all others, and of a repeated flag the last one counts", async () => {
    const args = ["--stick", "2", "--batch", "none", "--stick", "0.5", "--bits", "7", "--hidden", "x"];
    expect(await refusal(["--task", "bit-sequence", ...args])).toBe(
      [
        "the command line has 3 problems:",
        '  --batch: must be a whole number from 1 to 2^31 - 1, got "none"',
        '  --hidden: must be a list of at most 32 whole numbers from 1 on, got "x"',
        "  --bits: must be divisible by --word, got 7 bits in words of 4",
      ].join("\n"),
    );
  });
});

test("help shows other options as flags", () => {
  expect(CONFIG_FLAGS.find(({ key }) => key === "encoderHeads")?.help).toContain("--encoder-width");
  for (const { help } of CONFIG_FLAGS) {
    expect(help).not.toContain("`");
    for (const key of Object.keys(CONFIG_KEYS)) if (/[A-Z]/.test(key)) expect(help).not.toContain(key);
  }
});

test.each([
  ["learningRate", "--learning-rate"],
  ["onPolicy", "--on-policy"],
  ["sticks", "--stick"],
  ["task", "task"],
  ["kl-entropy", "kl-entropy"],
  ["toString", "toString"],
])("the flag of %s is %s", (path, flag) => {
  expect(flagOf(path)).toBe(flag);
});
