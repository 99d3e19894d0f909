import { expect, test } from "vitest";
import { type Contest, formatDuration, measure, numbersIn, runProcess, schedule } from "./harness.ts";

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

test("contenders take turns and every second round runs in reverse", () => {
  const turns = schedule([contest("x", "ABC"), contest("y", "DE")], 3);
  const order = [0, 1, 2].map((round) =>
    turns
      .filter((turn) => turn.round === round)
      .map(({ contender }) => contender.name)
      .join(""),
  );
  expect(order).toEqual(["ABCDE", "CBAED", "ABCDE"]);
  expect(turns.map(({ round }) => round)).toEqual(turns.map(({ round }) => round).toSorted());
});

test("a slow contest can have fewer rounds", () => {
  const turns = schedule([contest("x", "A"), contest("slow", "B", 1)], 3);
  expect(turns.map(({ contender }) => contender.name).join("")).toBe("ABAA");
});

test("samples are kept per contender in order of rounds, and each process is announced", async () => {
  const lines: string[] = [];
  let calls = 0;
  const results = await measure(
    schedule([contest("x", "AB")], 2),
    (line) => lines.push(line),
    async () => ({ rate: ++calls }),
  );
  expect(results("x", "A")).toEqual([{ rate: 1 }, { rate: 4 }]);
  expect(results("x", "B")).toEqual([{ rate: 2 }, { rate: 3 }]);
  expect(results("x", "C")).toEqual([]);
  expect(lines).toHaveLength(4);
  expect(lines[2]).toBe("[3/4] round 2 | x | B: 3 it/s | 0 s left");
});

test("the last line of a process is read, its numbers only", () => {
  expect(numbersIn('some chatter\n{"rate": 2.5, "version": "1.0"}\n')).toEqual({ rate: 2.5 });
});

test("processes are told how many threads they may use", async () => {
  const script =
    "console.log(JSON.stringify({ omp: +process.env.OMP_NUM_THREADS, mkl: +process.env.MKL_NUM_THREADS }))";
  expect(await runProcess({ file: process.execPath, parameters: ["-e", script], threads: 2 })).toEqual({
    omp: 2,
    mkl: 2,
  });
});

test("a process that fails is reported with what it said", async () => {
  const command = {
    file: process.execPath,
    parameters: ["-e", 'throw new RangeError("too wide")'],
    threads: 1,
  };
  await expect(runProcess(command)).rejects.toThrow(/^-e throw .*: RangeError: too wide$/);
});

test("durations read as minutes and seconds", () => {
  expect([0.4, 59, 125].map(formatDuration)).toEqual(["0 s", "59 s", "2 min 5 s"]);
});
