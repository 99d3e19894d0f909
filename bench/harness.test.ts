import { expect, test } from "vitest";
import {
  type Contest,
  formatDuration,
  interleavedRounds,
  measure,
  numbersIn,
  runProcess,
} from "./harness.ts";

function contest(name: string, contenders: string, maxRounds?: number): Contest {
  return {
    name,
    maxRounds,
    contenders: [...contenders].map((letter) => ({
      name: letter,
      command: { file: letter, parameters: [name], threads: 1 },
    })),
    describe: ({ rate }) => `${rate} it/s`,
  };
}

test("contenders alternate, in reversed order in every second round", () => {
  const rounds = interleavedRounds([contest("x", "ABC"), contest("y", "DE")], 3);
  expect(rounds.map(({ round, contenders }) => [round, contenders.map(({ name }) => name).join("")])).toEqual(
    [
      [0, "ABC"],
      [0, "DE"],
      [1, "CBA"],
      [1, "ED"],
      [2, "ABC"],
      [2, "DE"],
    ],
  );
});

test("a slow contest can have fewer rounds", () => {
  const rounds = interleavedRounds([contest("x", "A"), contest("slow", "B", 1)], 3);
  expect(rounds.map(({ contest }) => contest.name)).toEqual(["x", "slow", "x", "x"]);
});

test("samples are collected per contender in the order of rounds, and each process is reported", async () => {
  const lines: string[] = [];
  let calls = 0;
  const { results, disturbance } = await measure(
    interleavedRounds([contest("x", "AB")], 2),
    (line) => lines.push(line),
    { run: async () => ({ rate: ++calls }), watch: () => () => 0 },
  );
  expect(results("x", "A")).toEqual([{ rate: 1 }, { rate: 4 }]);
  expect(results("x", "B")).toEqual([{ rate: 2 }, { rate: 3 }]);
  expect(results("x", "C")).toEqual([]);
  expect(disturbance("x")).toEqual({ discarded: 0, kept: 0 });
  expect(lines).toHaveLength(4);
  expect(lines[2]).toBe("[3/4] round 2 | x | B: 3 it/s | 0 s left");
});

test("all samples of a disturbed round are discarded, and the round is measured again", async () => {
  const loads = [0, 0.5, 0];
  let calls = 0;
  const { results, disturbance } = await measure(interleavedRounds([contest("x", "AB")], 2), () => {}, {
    run: async () => ({ rate: ++calls }),
    watch: () => () => loads.shift(),
  });
  expect(results("x", "A")).toEqual([{ rate: 1 }, { rate: 6 }]);
  expect(results("x", "B")).toEqual([{ rate: 2 }, { rate: 5 }]);
  expect(disturbance("x")).toEqual({ discarded: 1, kept: 0 });
});

test("a sample has the numeric fields of the last line of a process", () => {
  expect(numbersIn('some chatter\n{"rate": 2.5, "version": "1.0"}\n')).toEqual({ rate: 2.5 });
});

test("environment variables limit the threads of processes", async () => {
  const script =
    "console.log(JSON.stringify({ omp: +process.env.OMP_NUM_THREADS, mkl: +process.env.MKL_NUM_THREADS }))";
  expect(await runProcess({ file: process.execPath, parameters: ["-e", script], threads: 2 })).toEqual({
    omp: 2,
    mkl: 2,
  });
});

test("the error of a failed process contains its error message", async () => {
  const command = {
    file: process.execPath,
    parameters: ["-e", 'throw new RangeError("too wide")'],
    threads: 1,
  };
  await expect(runProcess(command)).rejects.toThrow(/^-e throw .*: RangeError: too wide$/);
});

test("durations are formatted as minutes and seconds", () => {
  expect([0.4, 59, 125].map(formatDuration)).toEqual(["0 s", "59 s", "2 min 5 s"]);
});
