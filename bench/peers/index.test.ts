import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chooseEngine } from "../../src/engine/index.ts";
import type { Results } from "../harness.ts";
import { select } from "../plan.ts";
import type { Rival } from "../python.ts";
import { workloads } from "../workloads/index.ts";
import { peerWorkloads } from "../workloads/peer-training.ts";
import { peers, plan } from "./index.ts";

const rival = (script: string): Rival => ({
  version: "1.0",
  command: (workload, hidden, seconds) => ({
    file: "python3",
    parameters: [script, workload, String(hidden), String(seconds)],
    threads: 1,
  }),
});
const found = { gfnx: rival("gfnx.py"), torchgfn: rival("torchgfn.py") };

/** Two rounds: 200 and 400 it/s of 50 MFLOP for this library, 100 and 100 it/s of 80 MFLOP for every peer. */
const results: Results = (_, contender) =>
  contender === "native, 1 thread"
    ? [
        { rate: 200, flops: 50e6 },
        { rate: 400, flops: 50e6 },
      ]
    : [
        { rate: 100, flops: 80e6 },
        { rate: 100, flops: 80e6 },
      ];

const grids = ["8x8, TB", "8x8, DB", "16x16x16x16, TB", "16x16x16x16, DB"].map((each) => `hypergrid ${each}`);

describe("the plan", () => {
  test("compares grids with both peers, and strings with gfnx", () => {
    const { rows } = plan(peers.full, found);
    expect(rows.map((row) => [row.rival, row.setting])).toEqual([
      ...["TFBind8, TB", ...grids].map((setting) => ["gfnx", setting]),
      ...grids.map((setting) => ["torchgfn", setting]),
    ]);
  });

  test("gives all contenders the same workload, size and time", () => {
    const contest = plan({ seconds: 7 }, found).contests[2];
    expect(contest.contenders.map(({ name }) => name)).toEqual(["gfnx", "torchgfn", "native, 1 thread"]);
    for (const { command } of contest.contenders) {
      expect(command.threads).toBe(1);
      expect(command.parameters.join(" ")).toContain("peer-grid-2d-8-db 256 7");
    }
  });

  test("leaves out peers that are not installed, even if that is all of them", () => {
    const rivals = (each: Partial<typeof found>) => plan(peers.full, each).rows.map(({ rival }) => rival);
    expect(rivals({ torchgfn: found.torchgfn })).toEqual(grids.map(() => "torchgfn"));
    expect(plan(peers.full, {}).rows.map((row) => row.make(results))).toMatchObject(
      ["TFBind8, TB", ...grids].map((setting) => ({
        setting,
        ours: 300,
        rival: null,
        note: "50.0 MFLOP per iteration",
      })),
    );
  });

  test("has rows that depend only on planned processes", () => {
    const { contests, rows } = plan(peers.full, found);
    const running = contests.flatMap(({ name, contenders }) =>
      contenders.map((each) => `${name}/${each.name}`),
    );
    for (const need of rows.flatMap(({ samples }) => samples)) expect(running).toContain(need.join("/"));
  });
});

test("a row has the median ratio, the operations of both sides and the ratio per operation", () => {
  const { rows } = select(plan(peers.full, found), /TFBind8/);
  expect(rows.map((row) => row.make(results))).toEqual([
    {
      bench: "peers",
      setting: "TFBind8, TB",
      unit: "it/s",
      ours: 300,
      rival: "gfnx",
      rivalValue: 100,
      ratio: 3,
      rounds: [
        { ours: 200, rivalValue: 100, ratio: 2, flops: 50e6, rivalFlops: 80e6 },
        { ours: 400, rivalValue: 100, ratio: 4, flops: 50e6, rivalFlops: 80e6 },
      ],
      note: "50.0 MFLOP per iteration, rival's 80.0; ratio per FLOP 1.88",
    },
  ]);
});

test("the scripts of the peers have the same tasks as this library", () => {
  const script = readFileSync(new URL("../rivals/peer_tasks.py", import.meta.url), "utf8");
  const names = [...script.matchAll(/^ {4}"(\S+)": \(/gm)].map((match) => `peer-${match[1]}`);
  expect(names).toEqual(Object.keys(peerWorkloads));
});

test.each([
  ["peer-tfbind8-tb", 900, 0.9],
  ["peer-grid-2d-8-tb", 300, 0.8],
  ["peer-grid-2d-8-db", 300, 0.8],
] as const)("%s trains: its loss falls", async (name, iterations, most) => {
  const { iterate } = await workloads[name]({ hidden: 16, engine: await chooseEngine(), threads: 1 });
  const losses: number[] = [];
  for (let i = 0; i < iterations; i++) losses.push(await iterate());
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
  expect(mean(losses.slice(-20))).toBeLessThan(most * mean(losses.slice(0, 20)));
});
