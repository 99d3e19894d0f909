// Tests of runs that are stopped by a signal or killed, or whose output is closed: after resuming, a run ends with the
// same checkpoint, metrics and samples as an uninterrupted run.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { RandomStream } from "gflownet/engine";
import { encodeCheckpoint } from "gflownet/gfn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildCommandLine,
  type CommandLine,
  checkpointOf,
  contentOf,
  type Ended,
  jsonLines,
  metricsOf,
} from "./support/command-line.ts";

const ITERATIONS = 500;
/** Arguments of the run. They include a replay buffer, so that a checkpoint contains more than weights. */
const RUN = [
  ...["train", "hypergrid", "--side", "3", "--hidden", "16", "--batch", "16", "--replay-share", "0.25"],
  ...["--replay-capacity", "100", "--iterations", `${ITERATIONS}`, "--evaluate-every", "50"],
  ...["--checkpoint-every", "70", "--log-every", "5", "--samples", "50"],
];

/** A signal must be answered within 2 s of the end of a native call; the rest allows for a busy machine. */
const ANSWER_SECONDS = 5;

let cli: CommandLine;
/** The content of an uninterrupted run. */
let uninterrupted: ReturnType<typeof contentOf>;
/** The duration of the uninterrupted run. */
let milliseconds: number;

beforeAll(() => {
  cli = buildCommandLine();
  const began = performance.now();
  expect(cli.alone(...RUN, "--out", "uninterrupted", "--quiet")).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "",
  });
  milliseconds = performance.now() - began;
  uninterrupted = contentOf(cli.at("uninterrupted"));
});
afterAll(() => cli?.remove());

/** Resumes a run until its end. */
function finish(name: string): Ended {
  const ended = cli.gflownet("train", "--resume", name, "--quiet");
  expect(ended).toMatchObject({ status: 0, stdout: "", stderr: "" });
  return ended;
}

/** Expects that a folder has the files of a run and no lock. A killed process may leave temporary files. */
function expectCleanFolder(name: string): void {
  const found = readdirSync(cli.at(name)).filter(
    (file) => file !== "samples.csv" && !/^\..*\.tmp$/.test(file),
  );
  expect(found.sort()).toEqual(["checkpoint.safetensors", "config.json", "metrics.jsonl"]);
}

describe("a run that is stopped", () => {
  test("by Ctrl-C prints how to resume it, and can be resumed", async () => {
    const { child, ended, printed } = cli.start(...RUN, "--out", "stopped");
    await printed(/after 50 iterations/);
    child.kill("SIGINT");
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toBe("");
    const { iteration } = checkpointOf(cli.at("stopped"));
    expect(iteration).toBeGreaterThanOrEqual(50);
    expect(iteration).toBeLessThan(ITERATIONS);
    const message = `Stopped after iteration ${iteration.toLocaleString("en-US")}; everything up to there is in stopped.`;
    expect(stdout.endsWith(`${message}\nResume with: ${cli.command} train --resume stopped\n`)).toBe(true);
    expectCleanFolder("stopped");
    const [listed] = JSON.parse(cli.gflownet("runs", ".", "--json").stdout);
    expect(listed).toMatchObject({ name: "stopped", state: "interrupted" });

    finish("stopped");
    expect(contentOf(cli.at("stopped"))).toEqual(uninterrupted);
    const starts = metricsOf(cli.at("stopped")).filter(({ kind }) => kind === "start");
    expect(starts.map(({ resumedAt }) => resumedAt)).toEqual([null, iteration]);
  });

  test("by SIGTERM prints a JSON event; while it runs, other processes can read but not resume it", async () => {
    const { child, ended, printed } = cli.start(...RUN, "--iterations", "1000000", "--out", "held", "--json");
    await printed(/"kind":"checkpoint"/);
    const refused = cli.gflownet("train", "--resume", "held");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `gflownet: ${cli.at("held")} is in use by process ${child.pid}; wait until it ends, or stop it\n`,
    );
    expect(cli.gflownet("sample", "held", "-n", "1").status).toBe(0);
    const listed = JSON.parse(cli.gflownet("runs", ".", "--json").stdout);
    expect(listed).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "held", state: "running" })]),
    );
    child.kill("SIGTERM");
    const { status, stdout, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 143, stderr: "" });
    const { iteration } = checkpointOf(cli.at("held"));
    expect(jsonLines(stdout).at(-1)).toEqual({ kind: "stopped", run: cli.at("held"), iteration });
    expectCleanFolder("held");
  });

  test("before training starts can be resumed", async () => {
    const { child, ended } = cli.start(...RUN, "--out", "early");
    // The folder is created before anything is compiled.
    while (!existsSync(cli.at("early", "metrics.jsonl"))) await sleep(2);
    child.kill("SIGINT");
    const { status, signal } = await ended;
    expect(status ?? signal).toBe(status === null ? "SIGINT" : 130);
    finish("early");
    expect(contentOf(cli.at("early"))).toEqual(uninterrupted);
  });
});

describe("a signal is answered quickly", () => {
  /** Its evaluations take about a second. */
  const SLOW = ["train", "tfbind8", "--hidden", "512,512", "--batch", "8"];

  /** Waits for the text, sends a signal, and returns how long the process needed to end, in seconds of its own work. */
  async function interrupt(pattern: RegExp, signals: readonly NodeJS.Signals[], ...args: readonly string[]) {
    const { child, ended, printed } = cli.start(...args);
    await printed(pattern);
    const began = performance.now();
    for (const signal of signals) {
      child.kill(signal);
      await sleep(50);
    }
    const end = await ended;
    return { ...end, seconds: (performance.now() - began) / 1000 };
  }

  test("while programs are compiled, and the folder can be resumed", async () => {
    const { status, stdout, seconds } = await interrupt(
      /native on/,
      ["SIGTERM"],
      ...SLOW,
      "--out",
      "compiling",
    );
    expect(status).toBe(143);
    expect(seconds).toBeLessThan(ANSWER_SECONDS);
    expect(stdout).toContain("Stopped before the first iteration was saved.\nResume with: ");
    expect(readdirSync(cli.at("compiling")).sort()).toEqual(["config.json", "metrics.jsonl"]);
  });

  test("during an evaluation", async () => {
    const { status, seconds } = await interrupt(/Compiled/, ["SIGINT"], ...SLOW, "--out", "evaluating");
    expect(status).toBe(130);
    expect(seconds).toBeLessThan(ANSWER_SECONDS);
    expect(existsSync(cli.at("evaluating", "run.lock"))).toBe(false);
  });

  test.skipIf(process.platform === "win32")("and a second one ends the process at once", async () => {
    const twice = ["SIGINT", "SIGINT"] as const;
    const { signal, seconds } = await interrupt(/Compiled/, twice, ...SLOW, "--out", "twice");
    // Ended by the signal itself, which shells show as the exit code 130.
    expect(signal).toBe("SIGINT");
    expect(seconds).toBeLessThan(ANSWER_SECONDS);
  });

  test.skipIf(process.platform === "win32")("twice during training leaves a whole checkpoint", async () => {
    const endless = [...RUN, "--iterations", "1000000", "--out", "ended", "--json"];
    await interrupt(/"kind":"checkpoint"/, ["SIGTERM", "SIGTERM"], ...endless);
    expect(checkpointOf(cli.at("ended")).iteration).toBeGreaterThanOrEqual(70);
    expect(cli.gflownet("evaluate", "ended").status).toBe(0);
  });
});

describe("a run whose output is closed", () => {
  test("stops with a checkpoint and one sentence, and can be resumed", async () => {
    const { child, ended, printed } = cli.start(...RUN, "--out", "piped", "--json");
    await printed(/"iteration":50,/);
    child.stdout?.destroy();
    const { status, stderr } = await ended;
    expect(status).toBe(141);
    const { iteration } = checkpointOf(cli.at("piped"));
    expect(stderr).toBe(
      `gflownet: the reader of the output has closed it; stopped after iteration ${iteration}, ` +
        `resume with: ${cli.command} train --resume piped\n`,
    );
    expect(iteration).toBeLessThan(ITERATIONS);
    expectCleanFolder("piped");
    finish("piped");
    expect(contentOf(cli.at("piped"))).toEqual(uninterrupted);
  });

  test("after the last checkpoint ends as a complete run", async () => {
    const { child, ended, printed } = cli.start(...RUN, "--iterations", "20", "--out", "late", "--json");
    await printed(/"kind":"checkpoint","iteration":20/);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
    expect(metricsOf(cli.at("late")).at(-1)).toMatchObject({ kind: "end", iterations: 20 });
  });

  test.skipIf(!existsSync("/dev/full"))("by a full disk stops with a checkpoint and exit code 1", () => {
    const { status, stderr } = cli.shell(`${RUN.join(" ")} --out full > /dev/full`);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^gflownet: the output cannot be written \(ENOSPC\); stopped after iteration \d+, resume with: /,
    );
    expect(stderr.trimEnd()).not.toContain("\n");
    expectCleanFolder("full");
  });
});

describe("a killed run", () => {
  const end = /^\{"kind":"end".*\n/m;

  /** A copy of the uninterrupted run without its samples and its end event. */
  function copy(name: string): string {
    cpSync(cli.at("uninterrupted"), cli.at(name), { recursive: true });
    rmSync(cli.at(name, "samples.csv"));
    const text = readFileSync(cli.at(name, "metrics.jsonl"), "utf8");
    expect(text).toMatch(end);
    writeFileSync(cli.at(name, "metrics.jsonl"), text.replace(end, ""));
    return cli.at(name);
  }

  test("that had written its last checkpoint is completed without training", () => {
    const folder = copy("trained");
    finish("trained");
    expect(contentOf(folder)).toEqual(uninterrupted);
    expect(metricsOf(folder).filter(({ kind }) => kind === "start")).toHaveLength(1);
  });

  test("that had written an evaluation before its checkpoint does not write it twice", () => {
    const folder = copy("evaluated");
    const snapshot = checkpointOf(folder);
    writeFileSync(`${folder}/checkpoint.safetensors`, encodeCheckpoint({ ...snapshot, evaluated: false }));
    finish("evaluated");
    expect(contentOf(folder)).toEqual(uninterrupted);
  });
});

test.skipIf(process.platform === "win32")(
  "commands that only print exit with code 0 if the reader closes their output",
  () => {
    for (const command of ["sample uninterrupted -n 20000", "tasks", "--help"]) {
      const { status, stdout, stderr } = cli.shell(`${command} | head -1`);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    }
  },
);

describe("a run that is killed at a random moment can be resumed, and has all metrics up to its last checkpoint:", () => {
  const seed = Date.now();
  const stream = RandomStream.fromSeed(seed);
  // The run is killed at one random moment in each half of its duration.
  const moments = [0, 1].map((part) => (part + stream.uniform()) / 2);

  test.each(moments.map((share, i) => [i, share] as const))(`moment %i (seed ${seed})`, async (i, share) => {
    const name = `killed-${i}`;
    const folder = cli.at(name);
    const { child, ended } = cli.start(...RUN, "--out", name, "--quiet");
    await sleep(share * milliseconds);
    child.kill("SIGKILL");
    await ended;

    if (existsSync(`${folder}/checkpoint.safetensors`)) {
      const { iteration } = checkpointOf(folder);
      const text = readFileSync(`${folder}/metrics.jsonl`, "utf8").replaceAll(
        /"seconds":[^,}]+/g,
        '"seconds":0',
      );
      const written = new Set(text.split("\n"));
      const due = uninterrupted.lines.filter(
        (line) => line !== "" && Number(/"iteration":(\d+)/.exec(line)?.[1]) <= iteration,
      );
      expect(due.length).toBeGreaterThan(iteration / 5);
      expect(due.filter((line) => !written.has(line))).toEqual([]);
    }
    if (existsSync(`${folder}/config.json`)) finish(name);
    else expect(cli.gflownet(...RUN, "--out", name, "--quiet").status).toBe(0);
    expect(contentOf(folder)).toEqual(uninterrupted);
    expectCleanFolder(name);
  });
});
