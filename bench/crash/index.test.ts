import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { originalRun } from "../fuzz/originals.ts";
import { compareFinished, eventsIn, inspect, type Reference, referenceOf } from "./check.ts";
import { crash } from "./index.ts";
import { changeAt } from "./trial.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet-crash-"));
afterAll(() => rmSync(base, { recursive: true }));

describe("of a run's folder", async () => {
  const { config, metrics, checkpoint, iteration } = await originalRun();
  const end = '{"kind":"end","iterations":5,"seconds":1}\n';
  let folder: string;
  let reference: Reference;
  let made = 0;
  const path = (name: string) => join(folder, name);
  /** Lines of the metrics up to the checkpoint, and those after it. */
  const lines = metrics.split("\n");
  const after = lines.findIndex((line) => line.includes(`"iteration":${iteration + 1},`));
  const until = `${lines.slice(0, after).join("\n")}\n`;

  beforeEach(async () => {
    folder = join(base, `runs-${++made}`, "run");
    await mkdir(folder, { recursive: true });
    await writeFile(path("config.json"), config);
    await writeFile(path("checkpoint.safetensors"), checkpoint);
    await writeFile(path("metrics.jsonl"), until + end);
    await writeFile(path("samples.csv"), "object\n");
    reference = await referenceOf(folder);
    await writeFile(path("metrics.jsonl"), until);
  });

  const problems = async () => (await inspect(folder, reference)).problems;

  test("nothing is said if it is right, how far it has come aside", async () => {
    expect(await inspect(folder, reference)).toEqual({ stage: "at the end", iteration, problems: [] });
    appendFileSync(path("metrics.jsonl"), end);
    expect(await inspect(folder, reference)).toMatchObject({ stage: "ended", problems: [] });
    expect(await compareFinished(folder, reference)).toEqual([]);
    rmSync(path("checkpoint.safetensors"));
    writeFileSync(path("metrics.jsonl"), `${lines[0]}\n{"kind":"eval`);
    expect(await inspect(folder, reference)).toMatchObject({ stage: "no checkpoint", problems: [] });
    rmSync(folder, { recursive: true });
    expect(await inspect(folder, reference)).toMatchObject({ stage: "no config", problems: [] });
  });

  test("what differs is named: other files", async () => {
    writeFileSync(path("thesis.txt"), "");
    expect(await problems()).toEqual(["thesis.txt is no file of a run"]);
    writeFileSync(path(".checkpoint.safetensors.01234567-89ab-cdef-0123-456789abcdef.tmp"), "");
    rmSync(path("thesis.txt"));
    expect(await problems()).toEqual([]);
    expect((await compareFinished(folder, reference))[0]).toMatch(/^\.checkpoint.* stayed behind$/);
  });

  test("what differs is named: a config or a checkpoint that is not whole", async () => {
    truncateSync(path("checkpoint.safetensors"), 1000);
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^checkpoint\.safetensors: it is not a whole/),
    );
    truncateSync(path("config.json"), 100);
    expect(await problems()).toContainEqual(expect.stringMatching(/^config\.json: .*it is not JSON/));
  });

  test("what differs is named: metrics that were lost, changed, doubled or damaged", async () => {
    const text = readFileSync(path("metrics.jsonl"), "utf8");
    const all = text.split("\n");
    const write = (kept: readonly string[]) => writeFileSync(path("metrics.jsonl"), kept.join("\n"));
    write([...all.slice(0, -2), ""]);
    expect(await problems()).toEqual([
      expect.stringMatching(/^the checkpoint is of iteration 5, and the metrics/),
    ]);
    write(all.toSpliced(3, 1));
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^event 3 of the metrics is .* instead of/),
    );
    write(all.toSpliced(3, 0, all[3]));
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^event 4 of the metrics is .* instead of/),
    );
    write(all.toSpliced(3, 1, all[3].slice(0, 20)));
    expect(await problems()).toContainEqual(expect.stringMatching(/^metrics\.jsonl: line 4 is damaged/));
  });

  test("what differs is named: a checkpoint that went back, samples, a config that is gone", async () => {
    const before = { stage: "on the way", iteration: 10, problems: [] } as const;
    expect((await inspect(folder, reference, before)).problems).toEqual([
      "the checkpoint went back from iteration 10 to 5",
    ]);
    writeFileSync(path("samples.csv"), "other\n");
    expect(await problems()).toEqual(["samples.csv differs"]);
    rmSync(path("config.json"));
    const gone = (await inspect(folder, reference, before)).problems;
    expect(gone).toContain("config.json is gone");
    expect(gone).toContain("metrics.jsonl is there without a config.json");
  });
});

test("events are compared without starts, clocks and a torn last line", () => {
  const text = '{"kind":"start"}\n{"kind":"end","seconds":3,"metrics":{"tv":0.5,"seconds":3}}\n{"kind":"it';
  expect(eventsIn(text)).toEqual(['{"kind":"end","metrics":{"tv":0.5}}']);
  expect(() => eventsIn('{"kind":"start"}\nx\n')).toThrow(/line 2 is damaged/);
});

test("kills at changes of the disk reach all of them, and both ends often", () => {
  for (const all of [3, 40, 48, 50, 400]) {
    const changes = Array.from({ length: 5000 }, (_, i) => changeAt((i + 0.5) / 5000, all));
    expect(new Set(changes).size).toBe(all);
    expect([Math.min(...changes), Math.max(...changes)]).toEqual([1, all]);
  }
  const changes = Array.from({ length: 1000 }, (_, i) => changeAt((i + 0.5) / 1000, 400));
  expect(changes.filter((change) => change <= 24)).toHaveLength(250);
  expect(changes.filter((change) => change > 376)).toHaveLength(250);
});

test("only whole results are recorded", () => {
  expect(crash.unrecordable?.({ ...crash.full, quick: false })).toBeUndefined();
  expect(crash.unrecordable?.({ ...crash.quick, quick: true })).toMatch(/--record keeps a whole result/);
});
