// Tests the list of entries: every kind, groups and labels, and folders that cannot be read beside those that can.

import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  COMPARISON,
  end,
  evaluation,
  iteration,
  record,
  watchedFolder,
} from "../../test/support/entry-folders.ts";
import { acquireLock } from "../disk/lock.ts";
import { EntryIndex } from "./entry-index.ts";

const idsOf = async (folder: string) => [...(await new EntryIndex(folder).entries()).keys()];

describe("a folder with everything", () => {
  const folder = watchedFolder();
  folder.run("runs/hypergrid-1", { seed: 1 }, [evaluation(0, 1, 0.5), iteration(10, 2), end(100, 9)]);
  folder.run("runs/hypergrid-2", { seed: 2, threads: 2 }, [iteration(10, 3)]);
  folder.run("runs/hypergrid-10", { stick: 0.5 }, []);
  folder.run("mine", { seed: 3, engine: "jax" }, [iteration(20, 1)]);
  folder.comparison("comparisons/c", [
    [{ method: "kl", stick: 0.25, seed: 0 }, [record({ iteration: 5, tv: 0.125, seconds: 3 })]],
    [{ method: "kl", stick: 0.25, seed: 1 }, [record({ iteration: 5 })]],
    [{ method: "random", stick: 0.25, seed: 0 }, [record({ iteration: 5, tv: null })]],
  ]);
  folder.backtest("backtests/b");
  folder.write("designs/d/problem.yaml", "space: {}\n");
  folder.write("designs/d/scores.jsonl", "");
  folder.run("designs/e/run", { task: "custom", seed: 4 }, [iteration(30, 1)]);
  folder.write(
    "designs/e/design.json",
    JSON.stringify({ format: "gflownet design", version: 1, problem: "x", budget: 10, known: [] }),
  );
  folder.write("notes/readme.txt", "not an entry");
  const index = new EntryIndex(folder.root);

  test("lists all of it in natural order", async () => {
    expect([...(await index.entries()).keys()]).toEqual([
      "backtests/b",
      "comparisons/c",
      "comparisons/c#kl_stick=0.25_seed=0.jsonl",
      "comparisons/c#random_stick=0.25_seed=0.jsonl",
      "comparisons/c#kl_stick=0.25_seed=1.jsonl",
      "designs/d",
      "designs/e",
      "mine",
      "runs/hypergrid-1",
      "runs/hypergrid-2",
      "runs/hypergrid-10",
    ]);
  });

  test("says of a run what its files say", async () => {
    const entries = await index.entries();
    expect(entries.get("runs/hypergrid-1")!.entry).toMatchObject({
      ...{ kind: "run", name: "hypergrid-1", task: "hypergrid", state: "finished", problem: null, seed: 1 },
      ...{ iteration: 100, iterations: 100, seconds: 9, exact: true, parent: null },
      last: { tv: 0.5, kl: 1, loss: 2 },
    });
    expect(entries.get("runs/hypergrid-2")!.entry).toMatchObject({ state: "interrupted", exact: null });
    expect(entries.get("designs/e")!.entry).toMatchObject({ kind: "design", iteration: 30, seed: 4 });
    expect(entries.get("designs/d")!.entry).toMatchObject({ kind: "design", iteration: null, task: null });
    expect(entries.get("backtests/b")!.entry).toMatchObject({ kind: "backtest", state: "finished" });
  });

  test("says of a comparison and its experiments what their files say", async () => {
    const entries = await index.entries();
    expect(entries.get("comparisons/c")!.entry).toMatchObject({ state: "interrupted", task: "hypergrid" });
    expect(entries.get("comparisons/c#kl_stick=0.25_seed=0.jsonl")!.entry).toMatchObject({
      ...{ kind: "experiment", parent: "comparisons/c", name: "kl, stick 0.25, seed 0", seed: 0 },
      ...{ state: "finished", iteration: 5, seconds: 3, exact: true, groupLabel: "kl, stick 0.25" },
      last: { tv: 0.125 },
    });
    expect(entries.get("comparisons/c#random_stick=0.25_seed=0.jsonl")!.entry.exact).toBe(false);
  });

  test("groups by everything but the seed, the engine and the threads", async () => {
    const entries = await index.entries();
    const groupOf = (id: string) => entries.get(id)!.entry.group;
    expect(groupOf("runs/hypergrid-2")).toBe(groupOf("runs/hypergrid-1"));
    expect(groupOf("mine")).toBe(groupOf("runs/hypergrid-1"));
    expect(groupOf("runs/hypergrid-10")).not.toBe(groupOf("runs/hypergrid-1"));
    expect(entries.get("runs/hypergrid-10")!.entry.groupLabel).toBe("hypergrid, stick 0.5");
    const [one, other, third] = [
      "kl_stick=0.25_seed=0",
      "kl_stick=0.25_seed=1",
      "random_stick=0.25_seed=0",
    ].map((name) => groupOf(`comparisons/c#${name}.jsonl`));
    expect([other === one, third === one]).toEqual([true, false]);
  });

  test("names the objective of groups that differ in it, by its name if it has one", async () => {
    const place = watchedFolder();
    place.run("kl-0", {}, []);
    place.run("kl-1", { seed: 1 }, []);
    place.run("sdb", { dynamics: "joint", loss: "squared" }, []);
    place.run("own", { balance: "tb", loss: "huber", stick: 0.5 }, []);
    const entries = await new EntryIndex(place.root).entries();
    const labels = [...entries.values()].map(({ entry }) => [entry.name, entry.groupLabel]);
    expect(Object.fromEntries(labels)).toEqual({
      ...{ "kl-0": "objective kl", "kl-1": "objective kl", sdb: "objective sdb" },
      own: "objective tb + marginal + huber, stick 0.5",
    });
  });

  test("sees changes: new points, a lock, an end, a new run and a deleted one", async () => {
    folder.append("runs/hypergrid-2", iteration(20, 2.5), evaluation(20, 2, 0.25));
    folder.run("runs/new", {}, []);
    rmSync(folder.at("mine"), { recursive: true });
    const lock = await acquireLock(folder.at("runs/hypergrid-2"));
    let entries = await index.entries();
    expect(entries.get("runs/hypergrid-2")!.entry).toMatchObject({
      ...{ state: "running", iteration: 20, last: { loss: 2.5, tv: 0.25 } },
    });
    expect([entries.has("mine"), entries.has("runs/new")]).toEqual([false, true]);
    await lock.release();
    folder.append("runs/hypergrid-2", end(20, 3));
    entries = await index.entries();
    expect(entries.get("runs/hypergrid-2")!.entry).toMatchObject({ state: "finished", seconds: 3 });
  });
});

describe("what cannot be read", () => {
  const folder = watchedFolder();
  folder.run("runs/good", {}, [iteration(10, 1)]);
  folder.run("runs/newer", { version: 99 }, []);
  folder.run("runs/older", { version: 1 }, [iteration(10, 1)]);
  folder.write("runs/half/config.json", '{"version": 2, "task": "hyp');
  folder.write("runs/no-config/metrics.jsonl", "");
  folder.write("runs/no-task/config.json", "{}");
  folder.write("comparisons/newer/comparison.json", JSON.stringify({ version: 99 }));
  folder.write("comparisons/no-settings/experiments/x", "");
  folder.comparison("comparisons/damaged", [
    [{ method: "kl", stick: 0.25, seed: 0 }, [record({})]],
    [{ method: "kl", stick: 0.25, seed: 1 }, [record({})]],
  ]);
  truncateSync(folder.at("comparisons/damaged/experiments/kl_stick=0.25_seed=1.jsonl"), 100);
  folder.write("backtests/half/forecasts.csv", "");
  folder.write("designs/other/design.json", "{}");
  folder.write("designs/linked/design.json", "{}");
  symlinkSync(folder.at("runs/good"), folder.at("designs/linked/run"));

  test("is listed with one sentence, and hides nothing else", async () => {
    const entries = [...(await new EntryIndex(folder.root).entries()).values()].map(({ entry }) => entry);
    const problems = Object.fromEntries(
      entries.flatMap(({ id, state, problem }) => (state === "broken" ? [[id, problem]] : [])),
    );
    const at = (name: string) => folder.at(name);
    expect(problems).toEqual({
      "backtests/half": `${at("backtests/half")} is not complete: it has no metrics.csv; run the backtest again`,
      "comparisons/damaged#kl_stick=0.25_seed=1.jsonl": `${at("comparisons/damaged/experiments/kl_stick=0.25_seed=1.jsonl")} is damaged; run the comparison again to replace it`,
      "comparisons/newer": `${at("comparisons/newer/comparison.json")} has version 99, but this gflownet reads version 3; run the comparison again`,
      "comparisons/no-settings": `${at("comparisons/no-settings")} is not a comparison: it has no comparison.json; give the folder of a comparison`,
      "designs/linked": `${at("designs/linked/run")} is not a folder, but a link or a file; replace it by the folder of the run`,
      "designs/other": `${at("designs/other/design.json")} must be a file of gflownet design of version 1; give another folder`,
      "runs/half": "its config.json is not JSON",
      "runs/newer": `${at("runs/newer/config.json")}: it has version 99, but this gflownet reads version 2; use a newer gflownet`,
      "runs/no-config": `${at("runs/no-config")} is not a run, because it has no config.json; give the folder of a run`,
      "runs/no-task": "its config.json has no task",
    });
    const good = entries.filter(({ state }) => state !== "broken").map(({ id }) => id);
    expect(good).toEqual(
      expect.arrayContaining(["runs/good", "runs/older", "comparisons/damaged#kl_stick=0.25_seed=0.jsonl"]),
    );
  });

  test.skipIf(process.getuid?.() === 0)("is listed if permission is missing", async () => {
    folder.run("runs/secret", {}, []);
    chmodSync(folder.at("runs/secret"), 0);
    const { entry } = (await new EntryIndex(folder.root).entries()).get("runs/secret")!;
    chmodSync(folder.at("runs/secret"), 0o700);
    expect(entry.problem).toContain("permission denied");
  });
});

describe("folders", () => {
  const folder = watchedFolder();
  const outside = watchedFolder();
  folder.run("runs/a", {}, []);
  outside.run("secret", {}, []);

  test("that are empty or missing have no entries", async () => {
    mkdirSync(folder.at("empty"));
    expect(await idsOf(folder.at("empty"))).toEqual([]);
    expect(await idsOf(folder.at("missing"))).toEqual([]);
  });

  test("of runs, and runs themselves, can be watched", async () => {
    expect(await idsOf(folder.at("runs"))).toEqual(["a"]);
    expect(await idsOf(folder.at("runs/a"))).toEqual(["."]);
  });

  test("behind links are not found, and an entry that becomes a link is found no more", async () => {
    symlinkSync(outside.at("secret"), folder.at("runs/link"));
    symlinkSync(outside.root, folder.at("comparisons"));
    const index = new EntryIndex(folder.root);
    expect([...(await index.entries()).keys()]).toEqual(["runs/a"]);
    for (const id of [
      "runs/link",
      "../secret",
      `${outside.root}/secret`,
      "runs/../../secret",
      "runs/a/.",
      "",
    ])
      expect(await index.find(id)).toBeNull();
    expect((await index.find("runs/a"))?.entry.id).toBe("runs/a");
    folder.remove("runs/a");
    symlinkSync(outside.at("secret"), folder.at("runs/a"));
    expect(await index.find("runs/a")).toBeNull();
  });

  test("of a comparison without an unfinished experiment are finished", async () => {
    const { methods, seeds } = COMPARISON;
    const all = seeds.flatMap((seed) => methods.map((method) => ({ method, stick: 0.25, seed })));
    folder.comparison(
      "c",
      all.map((experiment) => [experiment, [record({})]] as const),
    );
    expect((await new EntryIndex(folder.root).entries()).get("c")!.entry.state).toBe("finished");
  });
});
