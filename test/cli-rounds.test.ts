// Tests of rounds of active learning through the command line: with an oracle (`--rounds`, `--batch`) and with a laboratory
// (`--propose`, `--tell`).

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";

let cli: CommandLine;
const SLOW = 120_000;

beforeAll(() => {
  cli = buildCommandLine();
  const lines = ["alphabet: '01'", "length: 6", "training: { hidden: [8], batch: 16 }"];
  const write = (name: string, ...more: readonly string[]) =>
    writeFileSync(cli.at(name), [...lines, ...more, ""].join("\n"));
  write("nk.yaml", "oracle: { landscape: nk, k: 1 }");
  write("lab.yaml");
  write(
    "after.yaml",
    "oracle: { landscape: nk, k: 1 }",
    "noise: { when: after, substitution: { '0': { '1': 0.1 } } }",
  );
});
afterAll(() => cli?.remove());

const read = (...names: readonly string[]) => readFileSync(cli.at(...names), "utf8");
/** Strings that the journal of a folder says were sent, one entry per call. */
const sentOf = (folder: string) =>
  jsonLines(read(folder, "scores.jsonl")).flatMap(({ sent }) => (sent as string[] | undefined) ?? []);
const plateOf = (name: string) =>
  read(name)
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));

describe("rounds with an oracle", () => {
  const args = (folder: string, ...more: readonly string[]) => [
    ...["design", "nk.yaml", "--rounds", "2", "--batch", "12", "--iterations", "20"],
    ...["--out", folder, ...more],
  ];

  test(
    "spend the budget exactly, and are printed and kept",
    () => {
      const { status, stdout, stderr } = cli.gflownet(...args("rounds"));
      expect(status).toBe(0);
      expect(stderr).toMatch(/round 1: 12 of 24 calls .*; uniformly drawn\n/);
      expect(stderr).toMatch(
        /round 2: 24 of 24 calls .*; proxy \w+.* explains \d+ % of the variance of unseen scores; 80 % intervals held \d+ of 12 scores\n/,
      );
      expect(stdout).toMatch(
        /\nProxies scored [\d,]+ strings in 2 rounds\. 80 % intervals held \d+ % of 12 scores\.\n24 of 24 calls were made\.\n$/,
      );
      expect(sentOf("rounds")).toHaveLength(24);
      expect(new Set(sentOf("rounds")).size).toBe(24);
      const { rounds } = JSON.parse(read("rounds", "rounds.json"));
      expect(rounds.flatMap(({ proposals }: { proposals: { string: string }[] }) => proposals)).toHaveLength(
        24,
      );
      const { sections } = JSON.parse(read("rounds", "page.json"));
      const found = sections.find(({ heading }: { heading: string }) => heading === "Rounds");
      expect(found.tables[0].rows.map(({ name }: { name: string }) => name)).toEqual(["1", "2"]);
      expect(found.figures).toHaveLength(1);
    },
    SLOW,
  );

  test(
    "make no further call if they are started again, and end with the same bytes",
    () => {
      const before = [read("rounds", "candidates.csv"), read("rounds", "rounds.json")];
      const { status, stdout } = cli.gflownet(...args("rounds", "--json"));
      expect(status).toBe(0);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ kind: "design", calls: 24, budget: 24, scored: 24 });
      expect(sentOf("rounds")).toHaveLength(24);
      expect([read("rounds", "candidates.csv"), read("rounds", "rounds.json")]).toEqual(before);
    },
    SLOW,
  );

  test("are refused with noise after the design", () => {
    const { status, stderr } = cli.gflownet(
      "design",
      "after.yaml",
      "--rounds",
      "2",
      "--batch",
      "12",
      "--out",
      "none",
    );
    expect(status).toBe(2);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      "gflownet: rounds cannot be used with noise after, because a proxy of the score does not know what synthesis makes of a string; leave out --rounds and --batch",
    );
    expect(existsSync(cli.at("none"))).toBe(false);
  });
});

describe("rounds with a laboratory", () => {
  const propose = (...more: readonly string[]) =>
    cli.gflownet("design", "lab.yaml", "--propose", "8", "--iterations", "20", ...more);
  const tell = (name: string, scores: readonly (readonly [string, number])[]) =>
    writeFileSync(cli.at(name), `string,score\n${scores.map((row) => row.join(",")).join("\n")}\n`);

  test(
    "are uniformly drawn until eight strings have different scores, and leave a report",
    () => {
      expect(propose("--out", "one.csv").stdout).toContain(
        "There is no proxy yet: the strings are uniformly drawn.\n8 strings to measure are in one.csv, figures in lab-rounds/report.html.",
      );
      const [header] = read("one.csv").split("\n");
      expect(header).toBe("plate,well,string,predicted_score,predicted_low,predicted_high,score");
      expect(existsSync(cli.at("lab-rounds", "report.html"))).toBe(true);
      const strings = plateOf("one.csv").map(([, , string]) => string);
      // Two known scores, and then eight equal ones, leave nothing to learn from.
      tell("two.csv", [
        [strings[0], 1],
        [strings[1], 1],
      ]);
      expect(propose("--tell", "two.csv", "--out", "after-two.csv").stdout).toContain("uniformly drawn");
      tell(
        "equal.csv",
        strings.map((string) => [string, 1]),
      );
      expect(propose("--tell", "equal.csv", "--out", "after-equal.csv").stdout).toContain("uniformly drawn");
      tell("outlier.csv", [
        [strings[0], 1e6],
        [strings[1], 0.5],
      ]);
      const learned = propose("--tell", "outlier.csv", "--out", "learned.csv");
      expect(learned.stdout).toMatch(/proxy \w+.* explains \d+ % of the variance of unseen scores/);
      const rows = plateOf("learned.csv");
      expect(rows).toHaveLength(8);
      expect(new Set(rows.map(([, , string]) => string)).size).toBe(8);
      for (const [, , , mean, low, high, score] of rows) {
        expect([mean, low, high].map(Number).every(Number.isFinite)).toBe(true);
        expect([mean, low, high, score].map((cell) => cell === "")).toEqual([false, false, false, true]);
        expect(Number(low)).toBeLessThanOrEqual(Number(high));
      }
      // Without new results the same plate is proposed.
      propose("--out", "again.csv");
      expect(read("again.csv")).toBe(read("learned.csv"));
      const { sections } = JSON.parse(read("lab-rounds", "page.json"));
      const [plate] = sections;
      expect(plate.heading).toBe("The plate to order next");
      expect(plate.tables[0].rows.map(({ name }: { name: string }) => name)).toEqual(
        rows.map(([, , string]) => string),
      );
      expect(cli.gflownet("report", "lab-rounds").status).toBe(0);
    },
    SLOW,
  );

  test("refuse --seconds", () => {
    const { status, stderr } = propose("--seconds", "5", "--out", "seconds.csv");
    expect(status).toBe(2);
    expect(stderr).toBe(
      "gflownet: --seconds cannot be used with --propose and --tell; --iterations sets the length of the policy's training\n",
    );
    expect(existsSync(cli.at("seconds.csv"))).toBe(false);
  });
});
