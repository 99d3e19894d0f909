// Tests of `gflownet design` through the command line: permissions, rounds, kills, stops, failures and continued folders.

import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { openRun } from "gflownet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, checkpointOf, jsonLines } from "./support/command-line.ts";

let cli: CommandLine;
const SLOW = 60_000;

/** Scores strings by their share of A's. The arguments: milliseconds per string, and what to do with some strings. */
const SCORER = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [delay = "0", behaviour = "score"] = process.argv.slice(2);
if (behaviour === "daemon") {
  const options = { detached: true, stdio: "inherit" };
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 50_000)"], options);
  child.unref();
  writeFileSync("daemon.pid", String(child.pid));
}
for await (const string of createInterface({ input: process.stdin })) {
  if (delay !== "0") await new Promise((done) => setTimeout(done, Number(delay)));
  const isBad = /TT$/.test(string);
  if (isBad && behaviour === "crash") process.exit(3);
  if ((isBad && behaviour === "text") || behaviour === "never") console.log("not today");
  else console.log(String([...string].filter((letter) => letter === "A").length / string.length));
}
`;
const TRAINING = "training: { hidden: [8], batch: 16 }";
const program = (...args: readonly string[]) =>
  `oracle: { program: [${[process.execPath, "score.mjs", ...args].map((arg) => JSON.stringify(arg)).join(", ")}], batch: 8, retries: 0 }`;
const problem = (...lines: readonly string[]) =>
  ["alphabet: DNA", "length: 4", TRAINING, ...lines, ""].join("\n");

beforeAll(() => {
  cli = buildCommandLine();
  writeFileSync(cli.at("score.mjs"), SCORER);
  writeFileSync(cli.at("count.yaml"), problem(program()));
  writeFileSync(cli.at("slow.yaml"), problem(program("20")).replace("length: 4", "length: 3"));
  writeFileSync(
    cli.at("lab.yaml"),
    problem("known: [{ string: AAAA, score: 1 }, { string: AAAA, score: 0 }]"),
  );
});
afterAll(() => cli?.remove());

/** The cells of a CSV text without quotes. */
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
const read = (...names: readonly string[]) => readFileSync(cli.at(...names), "utf8");
const design = (...args: readonly string[]) => cli.gflownet("design", ...args, "--iterations", "20");
const FLAGS = ["--allow-exec", "--budget", "60"];
const strings = (...names: readonly string[]) =>
  rowsOf(read(...names))
    .slice(1)
    .map((cells) => cells[1]);
/** Strings that the journal of a folder says were sent, one entry per call. */
const sentOf = (folder: string) =>
  jsonLines(read(folder, "scores.jsonl")).flatMap(({ sent }) => (sent as string[] | undefined) ?? []);

/** Waits until the journal of a folder has this many answers. */
const answered = (folder: string, count: number) =>
  new Promise<void>((done) => {
    const timer = setInterval(() => {
      if (!existsSync(cli.at(folder, "scores.jsonl"))) return;
      const text = read(folder, "scores.jsonl");
      if ((text.match(/"score":/g)?.length ?? 0) < count) return;
      clearInterval(timer);
      done();
    }, 5);
  });
/** The checkpoint of a design without its time. */
const stateOf = (folder: string) => ({ ...checkpointOf(cli.at(folder, "run")), seconds: 0 });

describe("a design with a program", () => {
  test(
    "writes candidates and says how many calls were made",
    () => {
      const { status, stdout, stderr } = design("count.yaml", ...FLAGS, "--out", "first");
      expect(status).toBe(0);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("60 of 60 calls were made.");
      expect(stderr).toContain(`runs ${process.execPath} score.mjs in ${cli.folder}`);
      expect(sentOf("first")).toHaveLength(60);
      const [header, best] = rowsOf(read("first", "candidates.csv"));
      expect(header.slice(0, 3)).toEqual(["rank", "string", "score"]);
      expect(Number(best[2])).toBe([...best[1]].filter((letter) => letter === "A").length / 4);
      expect(read("first", "candidates.fasta")).toMatch(/^>candidate_1 score=/);
      expect(existsSync(cli.at("first", "candidates.parquet"))).toBe(true);
    },
    SLOW,
  );

  test(
    "does nothing if it is started again, and gives the same candidates",
    () => {
      const before = read("first", "candidates.csv");
      const { status, stdout } = design("count.yaml", ...FLAGS, "--out", "first", "--json");
      expect(status).toBe(0);
      const lines = jsonLines(stdout);
      expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["ready", "end", "design"]));
      expect(lines[0]).toMatchObject({ kind: "ready", resumedAt: 20, known: 0 });
      expect(lines.at(-1)).toMatchObject({ kind: "design", calls: 60, budget: 60, stopped: false });
      expect(read("first", "candidates.csv")).toBe(before);
    },
    SLOW,
  );

  test(
    "goes on from all scores with a larger budget, and keeps the best designs of before",
    () => {
      const [best] = strings("first", "candidates.csv");
      cpSync(cli.at("first"), cli.at("larger"), { recursive: true });
      const flags = ["--allow-exec", "--budget", "90", "--out", "larger", "--candidates", "90", "--json"];
      const { status, stdout } = design("count.yaml", ...flags);
      expect(status).toBe(0);
      expect(jsonLines(stdout)[0]).toMatchObject({ kind: "ready", resumedAt: null, known: 60 });
      expect(jsonLines(stdout).at(-1)).toMatchObject({ calls: 90, scored: 90, candidates: 90 });
      const sent = sentOf("larger");
      expect(new Set(sent).size).toBe(90);
      expect(strings("larger", "candidates.csv")).toContain(best);
      const again = design("count.yaml", ...flags);
      expect(jsonLines(again.stdout)[0]).toMatchObject({ resumedAt: 20, known: 60 });
      expect(sentOf("larger")).toEqual(sent);
    },
    SLOW,
  );

  test(
    "is a run for other commands",
    () => {
      const samples = cli.output("sample", "first", "-n", "5", "--format", "csv");
      const [header, ...rows] = rowsOf(samples);
      expect(rows).toHaveLength(5);
      expect(rows.every((cells) => /^[ACGT]{4}$/.test(cells[header.indexOf("sequence")]))).toBe(true);
      const [, ...fixed] = rowsOf(cli.output("sample", "first", "-n", "5", "--template", "A??T"));
      expect(fixed.map(([sequence]) => /^A..T$/.test(sequence))).toEqual([true, true, true, true, true]);
      expect(cli.gflownet("runs", ".").stdout).toMatch(/first .*finished/);
    },
    SLOW,
  );

  test(
    "is evaluated by strings that it was not trained on, with their scores",
    async () => {
      expect(cli.gflownet("evaluate", "first").stderr).toMatch(
        /^gflownet: not every legal string of this design has a score, .* --held-out FILE, a table with/,
      );
      const letters = [..."ACGT"];
      const all = letters.flatMap((a) =>
        letters.flatMap((b) => letters.flatMap((c) => letters.map((d) => a + b + c + d))),
      );
      const scoreOf = (string: string) => (string.split("A").length - 1) / 4;
      const rows = all.map((string) => `${string},${scoreOf(string)}\n`);
      writeFileSync(cli.at("all.csv"), `string,score\n${rows.join("")}`);
      const { heldOut, trainedOn, reward } = JSON.parse(
        cli.output("evaluate", "first", "--held-out", "all.csv", "--json"),
      );
      expect([heldOut.objects, trainedOn]).toEqual([256 - 60, 60]);
      expect(reward).toEqual(JSON.parse(read("first", "reward.json")));
      expect(reward).toMatchObject({ exponent: 1, scale: "none", floor: 1e-4 });
      const others = all.filter((string) => !sentOf("first").includes(string));
      const trained = await openRun(cli.at("first"));
      const logs = (await trained.logProbabilities(others)).map(({ logProbability }) => logProbability);
      await trained.dispose();
      // The scale is frozen after two thirds of the calls.
      const best = Math.max(...sentOf("first").slice(0, 40).map(scoreOf));
      const rewards = others.map((string) => Math.log(Math.max(scoreOf(string), 1e-4 * best)));
      const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
      const [meanLog, meanReward] = [mean(logs), mean(rewards)];
      const covariance = mean(logs.map((log, i) => (log - meanLog) * (rewards[i] - meanReward)));
      const variance = mean(rewards.map((each) => (each - meanReward) ** 2));
      expect(heldOut.meanLogProbability).toBeCloseTo(meanLog, 6);
      expect(heldOut.slope).toBeCloseTo(covariance / variance, 6);
    },
    SLOW,
  );

  test("refuses a changed problem file", () => {
    writeFileSync(cli.at("changed.yaml"), `${read("count.yaml")}seed: 5\n`);
    const { status, stderr } = design("changed.yaml", ...FLAGS, "--out", "first");
    expect(status).not.toBe(0);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      `gflownet: ${cli.at("first")} has designs of another problem file, or of this one before it was changed; give another folder with --out`,
    );
  });
});

describe("permissions", () => {
  const refused = (name: string, lines: readonly string[], ...flags: readonly string[]) => {
    writeFileSync(cli.at(name), problem(...lines));
    const { status, stdout, stderr } = design(name, "--budget", "60", "--out", "refused", ...flags);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(existsSync(cli.at("refused"))).toBe(false);
    return stderr;
  };

  test("programs and modules need --allow-exec", () => {
    expect(refused("exec.yaml", [program()])).toMatch(
      /oracle\.program.*runs the program .*must be allowed by --allow-exec/,
    );
    writeFileSync(cli.at("evil.mjs"), `import { writeFileSync } from "node:fs"; writeFileSync("ran", "");`);
    expect(refused("module.yaml", ["oracle: { module: evil.mjs }"])).toMatch(
      /must be allowed by --allow-exec/,
    );
    expect(existsSync(cli.at("ran"))).toBe(false);
  });

  test("hosts need --allow-net", () => {
    const oracle = ["oracle: { url: 'http://127.0.0.1:9/score' }"];
    expect(refused("net.yaml", oracle)).toMatch(/must be allowed by --allow-net 127\.0\.0\.1:9/);
    expect(refused("net.yaml", oracle, "--allow-net", "example.org")).toMatch(
      /must be allowed by --allow-net/,
    );
  });

  test(
    "tables outside the folder need --allow-file",
    () => {
      mkdirSync(cli.at("inner"));
      const rows = ["AAAA,1", "AAAC,0.5", "AACC,0.25", "CCCC,0.1"];
      writeFileSync(cli.at("outside.csv"), `string,score\n${rows.join("\n")}\n`);
      const lines = ["oracle: { table: ../outside.csv }", "failures: skip"];
      expect(refused("inner/table.yaml", lines)).toMatch(/outside\.csv/);
      const flags = ["--allow-file", "outside.csv", "--budget", "256", "--out", "tabled", "--json"];
      const { status, stdout } = design("inner/table.yaml", ...flags);
      expect(status).toBe(0);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ scored: 4, calls: 256 });
      expect(strings("tabled", "candidates.csv")).toEqual(["AAAA", "AAAC", "AACC", "CCCC"]);
    },
    SLOW,
  );
});

describe("rounds with a laboratory", () => {
  const plate = (name: string) =>
    rowsOf(read(name))
      .slice(1)
      .map((cells) => cells[2]);
  const measure = (name: string, out: string, scoreOf: (string: string) => string) =>
    writeFileSync(
      cli.at(out),
      `string,score\n${plate(name)
        .map((string) => `${string},${scoreOf(string)}`)
        .join("\n")}\n`,
    );

  test(
    "learn from each table of results, replicates and missing wells included",
    () => {
      expect(design("lab.yaml", "--propose", "6", "--out", "one.csv").status).toBe(0);
      expect(new Set(plate("one.csv")).size).toBe(6);
      // The known string is measured twice, and is not proposed again.
      expect(plate("one.csv")).not.toContain("AAAA");
      const [missing] = plate("one.csv");
      measure("one.csv", "results.csv", (string) => (string === missing ? "" : "0.5"));
      const second = design("lab.yaml", "--tell", "results.csv", "--propose", "6", "--out", "two.csv");
      expect(second.stdout).toContain(
        "5 strings from 5 measurements were added, 1 rows had no score; 6 scores are known.",
      );
      const measured = plate("one.csv").slice(1);
      expect(plate("two.csv").filter((string) => measured.includes(string))).toEqual([]);
      measure("two.csv", "more.csv", () => "0.9");
      const third = design(
        "lab.yaml",
        "--tell",
        "more.csv",
        "--propose",
        "6",
        "--out",
        "three.csv",
        "--json",
      );
      // Twelve scores are enough for a proxy.
      expect(jsonLines(third.stdout)[0]).toMatchObject({ kind: "round", round: 3 });
      expect(jsonLines(third.stdout)[0].proxy).not.toBeNull();
      expect(jsonLines(third.stdout).at(-1)).toMatchObject({ kind: "proposals", count: 6, known: 12 });
      const known = jsonLines(read("lab-rounds", "scores.jsonl")).flatMap(({ told }) => told ?? []);
      expect(known).toContainEqual({ string: "AAAA", score: 0.5, uncertainty: 0.5 });
      // The same request gives the same strings.
      design("lab.yaml", "--propose", "6", "--out", "again.csv");
      expect(read("again.csv")).toBe(read("three.csv"));
    },
    SLOW,
  );

  test("keep an existing plate, and say what is wrong with results", () => {
    writeFileSync(cli.at("plate.csv"), "mine");
    const flags = ["lab.yaml", "--folder", "other", "--out", "plate.csv"];
    expect(design(...flags, "--propose", "4").stderr).toMatch(/plate\.csv exists; .*--force/);
    expect(read("plate.csv")).toBe("mine");
    writeFileSync(cli.at("wrong.csv"), "string,score\nAXXX,1\n");
    expect(design("lab.yaml", "--folder", "other", "--tell", "wrong.csv").stderr).toMatch(
      /wrong\.csv has wrong rows: row 2: the string must/,
    );
    expect(existsSync(cli.at("other"))).toBe(false);
    expect(design("lab.yaml").stderr).toMatch(
      /the problem has no oracle; propose strings .*--propose N.*--tell FILE/,
    );
  });
});

describe("kills and stops", () => {
  /** All legal strings fit into the budget, with calls to spare for those in flight at a kill. */
  const args = (folder: string) => [
    "design",
    "slow.yaml",
    "--allow-exec",
    "--budget",
    "80",
    "--iterations",
    "20",
    "--out",
    folder,
  ];

  test(
    "a killed design that is started again ends with the same bytes",
    async () => {
      expect(cli.gflownet(...args("whole")).status).toBe(0);
      const { child, ended } = cli.start(...args("killed"));
      await answered("killed", 24);
      const twice = cli.gflownet(...args("killed"));
      expect(twice.status).not.toBe(0);
      expect(twice.stderr).toMatch(/is in use|another process/);
      child.kill("SIGKILL");
      await ended;
      const again = cli.gflownet(...args("killed"));
      expect(again.status).toBe(0);
      expect(read("killed", "candidates.csv")).toBe(read("whole", "candidates.csv"));
      expect(stateOf("killed")).toEqual(stateOf("whole"));
      expect(sentOf("whole")).toHaveLength(64);
      expect(new Set(sentOf("killed")).size).toBe(64);
      expect(sentOf("killed").length).toBeLessThanOrEqual(64 + 8);
    },
    SLOW,
  );

  test(
    "Ctrl-C keeps all scores and says how to continue",
    async () => {
      const { child, ended } = cli.start(...args("stopped"));
      await answered("stopped", 24);
      child.kill("SIGINT");
      const { status, stdout, stderr } = await ended;
      expect(status).toBe(130);
      if (stdout !== "") expect(stdout).toMatch(/\d+ of 80 calls were made\.\n$/);
      expect(stderr.trimEnd().split("\n").at(-1)).toBe(
        `gflownet: stopped; all scores are kept; continue with: ${cli.command} design slow.yaml --out stopped --budget 80 --iterations 20 --candidates 100 --radius 2 --allow-exec`,
      );
      const before = sentOf("stopped").length;
      expect(before).toBeLessThan(64);
      const again = cli.gflownet(...args("stopped"), "--json");
      expect(again.status).toBe(0);
      expect(jsonLines(again.stdout).at(-1)).toMatchObject({ scored: 64 });
      expect(read("stopped", "candidates.csv")).toBe(read("whole", "candidates.csv"));
      expect(sentOf("stopped").length).toBeLessThanOrEqual(64 + 8);
    },
    SLOW,
  );
});

describe("Ctrl-C", () => {
  test.each([
    ["an endless loop", "{ for (;;) {} }"],
    ["a promise that never settles", "new Promise(() => {})"],
  ])(
    "ends a module in %s at once, and the last line has the calls",
    async (_, body) => {
      const name = `hang-${body.length}`;
      const module = `import { writeFileSync } from "node:fs";
        export const score = (s) => { writeFileSync("${name}.began", s); return (() => ${body})(); };\n`;
      writeFileSync(cli.at(`${name}.mjs`), module);
      writeFileSync(cli.at(`${name}.yaml`), problem(`oracle: { module: ${name}.mjs }`));
      const { child, ended } = cli.start("design", `${name}.yaml`, ...FLAGS, "--out", name);
      while (!existsSync(cli.at(`${name}.began`))) await new Promise((done) => setTimeout(done, 20));
      const start = performance.now();
      child.kill("SIGINT");
      const { status, stdout, stderr } = await ended;
      expect(performance.now() - start).toBeLessThan(5000);
      expect(status).toBe(130);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^gflownet: stopped; all scores are kept/);
      expect(stdout).toMatch(/^\d+ of 60 calls were made\.\n$/);
    },
    SLOW,
  );
});

test(
  "Ctrl-C ends the compilation of constraints at once, before anything is started or written",
  async () => {
    const tokens = Array.from({ length: 1000 }, (_, i) => `"[${i}]"`).join(", ");
    const oracle = "oracle: { program: [python3, -c, pass] }";
    writeFileSync(
      cli.at("tokens.yaml"),
      `alphabet: [${tokens}]\nlength: 20\n${oracle}\nconstraints: { homopolymer: 3 }\n`,
    );
    const { child, ended } = cli.start("design", "tokens.yaml", "--allow-exec", "--out", "tokens");
    // The line that says which program will run.
    await once(child.stderr as Readable, "data");
    child.kill("SIGINT");
    const { signal } = await ended;
    expect(signal).toBe("SIGINT");
    expect(existsSync(cli.at("tokens"))).toBe(false);
  },
  SLOW,
);

describe("kills while strings are collected", () => {
  const args = (folder: string) => [
    ...["design", "collect.yaml", "--allow-exec", "--budget", "60", "--iterations", "600"],
    ...["--out", folder, "--json"],
  ];

  test(
    "after the last score, the design goes on to the same bits without a call",
    async () => {
      writeFileSync(cli.at("collect.yaml"), problem(program("2")));
      expect(cli.gflownet(...args("collected")).status).toBe(0);
      const { child, ended } = cli.start(...args("interrupted"));
      await answered("interrupted", 60);
      child.kill("SIGKILL");
      await ended;
      const { status, stdout } = cli.gflownet(...args("interrupted"));
      expect(status).toBe(0);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ calls: 60, scored: 60, stopped: false });
      expect(sentOf("interrupted")).toEqual(sentOf("collected"));
      expect(stateOf("interrupted")).toEqual(stateOf("collected"));
      expect(read("interrupted", "candidates.csv")).toBe(read("collected", "candidates.csv"));
    },
    SLOW,
  );

  test(
    "in the middle, the strings in flight are counted again and the budget is not exceeded",
    async () => {
      const { child, ended } = cli.start(...args("middle"));
      await answered("middle", 20);
      child.kill("SIGKILL");
      await ended;
      const sent = sentOf("middle");
      const { status, stdout } = cli.gflownet(...args("middle"));
      expect(status).toBe(0);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ calls: 60, stopped: false });
      expect(sentOf("middle").slice(0, sent.length)).toEqual(sent);
      const twice = 60 - new Set(sentOf("middle")).size;
      expect(twice).toBeLessThanOrEqual(8);
    },
    SLOW,
  );
});

describe("failures", () => {
  test.each([
    ["crash", /ended|exit|stopped/],
    ["text", /not today/],
  ])(
    "a scorer that answers with a %s ends the design with one sentence if the policy is to stop",
    (behaviour, reason) => {
      const name = `${behaviour}.yaml`;
      writeFileSync(cli.at(name), problem(program("0", behaviour), "failures: stop"));
      const { status, stderr } = design(name, ...FLAGS, "--out", behaviour);
      expect(status).not.toBe(0);
      const [, ...lines] = stderr.trimEnd().split("\n");
      expect(lines.at(-1)).toMatch(/^gflownet: .*gave no score for "?[ACGT]{4}"?/);
      expect(lines.at(-1)).toMatch(reason);
    },
    SLOW,
  );

  test.each(["skip", "floor"])(
    "with the policy %s it goes on",
    (policy) => {
      const name = `${policy}.yaml`;
      writeFileSync(cli.at(name), problem(program("0", "text"), `failures: ${policy}`));
      const { status, stdout } = design(name, ...FLAGS, "--out", policy, "--json");
      expect(status).toBe(0);
      const { calls, scored, failed } = jsonLines(stdout).at(-1) as Record<string, number>;
      expect(calls).toBe(60);
      expect(scored + failed).toBe(60);
      expect(scored).toBe(new Set(sentOf(policy).filter((string) => !string.endsWith("TT"))).size);
      expect(strings(policy, "candidates.csv").every((string) => !string.endsWith("TT"))).toBe(true);
    },
    SLOW,
  );

  test(
    "a scorer that scores no string ends the design with what it said",
    () => {
      writeFileSync(cli.at("never.yaml"), problem(program("0", "never")));
      const { status, stderr } = design("never.yaml", "--allow-exec", "--budget", "8", "--out", "never");
      expect(status).toBe(2);
      expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
        /^gflownet: .* gave no score for any of \d+ strings?; for "[ACGT]{4}": .*not today.*--retry-failed$/,
      );
      // What is wrong is said at the first attempt already, because a time limit may be a minute long, and said once.
      const said = stderr.split("\n").filter((line) => line.endsWith("the strings are sent again"));
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/^gflownet: .*score\.mjs 0 never: .*"not today"/);
    },
    SLOW,
  );

  test(
    "strings that failed while the scorer was broken are sent again with --retry-failed only",
    () => {
      const broken = 'import { existsSync } from "node:fs";\nif (existsSync("broken")) process.exit(1);\n';
      writeFileSync(cli.at("outage.mjs"), `${broken}${SCORER}`);
      writeFileSync(cli.at("outage.yaml"), problem(program().replace("score.mjs", "outage.mjs")));
      const asked = (budget: string, ...flags: readonly string[]) =>
        design("outage.yaml", "--allow-exec", "--out", "outage", "--budget", budget, ...flags);
      writeFileSync(cli.at("broken"), "");
      expect(asked("20").status).toBe(2);
      rmSync(cli.at("broken"));
      expect(sentOf("outage")).toHaveLength(20);
      expect(asked("20").stderr).toMatch(/gave no score for any of \d+ strings/);
      expect(asked("20", "--retry-failed").stderr).toMatch(/all 20 calls .* are spent; give a larger budget/);
      expect(sentOf("outage")).toHaveLength(20);
      const { status, stdout } = asked("60", "--retry-failed", "--json");
      expect(status).toBe(0);
      expect(jsonLines(stdout).at(-1)).toMatchObject({ calls: 60, scored: 40, failed: 0 });
    },
    SLOW,
  );

  test(
    "a module that never answers ends the design after three time limits, and what it says is one safe line",
    () => {
      writeFileSync(cli.at("loop.mjs"), "export const score = () => { for (;;) {} };\n");
      writeFileSync(cli.at("loop.yaml"), problem("oracle: { module: loop.mjs, timeout: 0.3 }"));
      const looped = design("loop.yaml", ...FLAGS, "--out", "loop");
      expect(looped.status).toBe(2);
      expect(looped.stderr.trimEnd().split("\n").at(-1)).toMatch(
        /^gflownet: the module .*loop\.mjs has never given a usable answer, so it is not asked again: it gave no answer for 0\.3 s; .*--retry-failed$/,
      );
      const text = 'throw new Error("\\u001b[31mred\\u0007" + "\\nline".repeat(5000))';
      writeFileSync(cli.at("rude.mjs"), `export const score = (s) => { if (s < "C") ${text}; return 1; };\n`);
      writeFileSync(cli.at("rude.yaml"), problem("oracle: { module: rude.mjs }"));
      const { status, stdout } = design("rude.yaml", ...FLAGS, "--out", "rude");
      expect(status).toBe(0);
      const line = stdout.split("\n").find((each) => each.includes("got no score")) ?? "";
      expect(line).toMatch(/: red\\u0007 line line .*\.\.\.$/);
      expect(line.length).toBeLessThan(450);
    },
    SLOW,
  );

  test(
    "a budget below the calls that were made is said to be so",
    () => {
      const asked = (budget: string) =>
        design("count.yaml", "--allow-exec", "--out", "smaller", "--budget", budget);
      expect(asked("40").stdout).toMatch(/\n40 of 40 calls were made\.\n$/);
      const { status, stdout } = asked("10");
      expect(status).toBe(0);
      expect(stdout).toMatch(
        /\n40 calls were made by all runs of the folder, more than the budget of 10, so this run made none\.\n$/,
      );
    },
    SLOW,
  );

  test(
    "a scorer whose child leaves its process group does not keep the design from ending",
    () => {
      writeFileSync(cli.at("daemon.yaml"), problem(program("0", "daemon")));
      const flags = ["--allow-exec", "--budget", "20", "--iterations", "5", "--out", "daemon"];
      const { status, stdout } = cli.alone("design", "daemon.yaml", ...flags);
      const pid = Number(read("daemon.pid"));
      // The child still runs, so the design did not wait for it.
      expect(process.kill(pid, 0)).toBe(true);
      process.kill(pid, "SIGKILL");
      expect(status).toBe(0);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("20 of 20 calls were made.");
    },
    SLOW,
  );

  test(
    "scores that are all 0, or whose powers are too large for a number, end with candidates as others do",
    () => {
      for (const [name, score, reward] of [
        ["zero", "() => 0", ""],
        ["huge", '(s) => 1e200 * s.split("A").length', "reward: { exponent: 2 }"],
      ]) {
        writeFileSync(cli.at(`${name}.mjs`), `export const score = ${score};\n`);
        const given = ["alphabet: AB", "length: 4", TRAINING, `oracle: { module: ${name}.mjs }`, reward];
        writeFileSync(cli.at(`${name}.yaml`), given.join("\n"));
        for (const [budget, calls] of [
          [16, 16],
          [10, 10],
        ]) {
          const out = `${name}-${budget}`;
          const flags = ["--allow-exec", "--budget", String(budget), "--out", out];
          const { status, stdout, stderr } = design(`${name}.yaml`, ...flags);
          expect([status, stderr.includes("rewardTable")]).toEqual([0, false]);
          expect(stdout).toContain(`${calls} of ${budget} calls were made.`);
          expect(strings(out, "candidates.csv")).toHaveLength(calls);
        }
      }
    },
    SLOW,
  );

  test(
    "under free noise, the share of illegal strings stands beside that of the best reachable policy if it is known",
    () => {
      const lines = ["alphabet: AB", "length: 5", TRAINING, "oracle: { landscape: nk, k: 1 }"];
      const noise = ["constraints: { forbid: [AA] }", "noise: { stick: 0.2, mode: free }"];
      writeFileSync(cli.at("free.yaml"), [...lines, ...noise].join("\n"));
      const illegalLine = (budget: string) => {
        const { stdout } = design("free.yaml", "--budget", budget, "--out", `free-${budget}`);
        return stdout.split("\n").find((line) => line.startsWith("Illegal strings")) ?? "";
      };
      expect(illegalLine("13")).toMatch(
        /^Illegal strings under free noise: 0\.\d+ ± 0\.\d+ of 1,000 samples; that of the best reachable policy is 0\.\d+; the least of any policy is 0\.\d+\.$/,
      );
      expect(illegalLine("12")).toContain(
        "that of the best reachable policy needs the scores of all 13 legal strings; the least",
      );
    },
    SLOW,
  );

  test("constraints that clash are named", () => {
    writeFileSync(
      cli.at("clash.yaml"),
      problem(program(), "constraints: { template: AAAA, forbid: [AA], homopolymer: 3 }"),
    );
    const { status, stderr } = design("clash.yaml", ...FLAGS, "--out", "clash");
    expect(status).toBe(2);
    expect(stderr).toMatch(/template/);
    expect(existsSync(cli.at("clash"))).toBe(false);
  });
});

test("help names all that is needed", () => {
  const help = cli.output("design", "--help");
  for (const word of [
    "--budget",
    "--out",
    "--allow-exec",
    "--allow-net",
    "--allow-file",
    "--propose",
    "--tell",
  ])
    expect(help).toContain(word);
});
