// One policy for all preferences: exact distances at five of them, saving, sampling, and designs by the command line.

import { writeFileSync } from "node:fs";
import { fit, openRun, sequenceEnvironment, type Trained } from "gflownet";
import { RandomStream } from "gflownet/engine";
import { preferenceEnvironment } from "gflownet/gfn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine } from "./support/command-line.ts";
import { conditionedDistances, FIVE_PREFERENCES, fixedDistances } from "./support/preference-distances.ts";

const EXPONENT = 2;
const base = sequenceEnvironment({ alphabet: "ACGT", length: 4, stick: 0 });
const stream = RandomStream.fromSeed(7);
/** Independent scores of 256 strings; those of the second objective are half as large, so log Z depends on the preference. */
const objectives = [1, 0.5].map((scale) =>
  Float64Array.from({ length: 256 }, () => scale * stream.uniform()),
);
const environment = preferenceEnvironment({ environment: base, objectives });

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
});
afterAll(() => cli?.remove());

describe("a policy that takes the preference as input", () => {
  const settings = { iterations: 1000, rewardExponent: EXPONENT, rewardFloor: 1e-9 } as const;
  let trained: Trained;
  beforeAll(async () => {
    trained = await fit({ environment, ...settings });
  });
  afterAll(() => trained?.dispose());

  test("is close to the targets of five preferences, where a policy for equal weights is not", async () => {
    const distances = (await conditionedDistances(trained)).map(({ tv }) => tv);
    const scores = environment.at([0.5, 0.5]).scores;
    const fixed = await fit({ environment: base, scores, ...settings });
    const others = await fixedDistances(fixed, environment, EXPONENT);
    await fixed.dispose();
    expect(Math.max(...distances)).toBeLessThan(0.05);
    for (const at of [0, 1, 3, 4]) expect(distances[at]).toBeLessThan(others[at] / 2);
  });

  test("has the log Z of each preference, which differ by more than 1", async () => {
    for (const { logZError } of await conditionedDistances(trained)) {
      expect(Math.abs(logZError)).toBeLessThan(0.05);
    }
    const [least, , , , most] = FIVE_PREFERENCES.map((preference) =>
      Math.log(environment.at(preference).scores.reduce((sum, score) => sum + score ** EXPONENT, 0)),
    );
    expect(most - least).toBeGreaterThan(1);
  });

  test("samples by the preference that is asked for, with its scores, also after it was saved", async () => {
    const preference = [0.9, 0.1];
    const samples = await trained.sample(20, { preference, seed: 3 });
    const { scores } = environment.at(preference);
    for (const { terminal, score } of samples) expect(score).toBe(scores[terminal]);
    expect(await trained.sample(20, { preference: [0.1, 0.9], seed: 3 })).not.toEqual(samples);
    await trained.save(cli.at("preferences"));
    const again = await openRun(cli.at("preferences"));
    expect(await again.sample(20, { preference, seed: 3 })).toEqual(samples);
    expect(await conditionedDistances(again)).toEqual(await conditionedDistances(trained));
    const [{ object, logProbability }] = samples;
    expect((await again.logProbability(object, { preference })).logProbability).toBe(logProbability);
    await again.dispose();
  });

  test("refuses a wrong preference, and so does a policy without preferences", async () => {
    await expect(trained.evaluate({ preference: [0.5, 0.6] })).rejects.toThrow(
      "preference: must be 2 weights from 0 on that sum to 1, got [0.5,0.6]",
    );
    const scores = objectives[0];
    const fixed = await fit({ environment: base, scores, iterations: 1, hidden: [4] });
    await expect(fixed.sample(1, { preference: [1] })).rejects.toThrow(
      "preference: needs a model that was trained with preferences",
    );
    await fixed.dispose();
    await expect(fit({ environment, scores, iterations: 1 })).rejects.toThrow(/omit `scores`/);
  });
});

describe("a design with conditioned preferences", () => {
  beforeAll(() => {
    const rows = ["AA", "AB", "BA", "BB"].flatMap((a) => ["AA", "AB", "BA", "BB"].map((b) => a + b));
    const count = (text: string, letter: string) => text.split(letter).length - 1;
    const table = rows.map((text) => `${text},${count(text, "A")},${count(text, "B") + 1}`);
    writeFileSync(cli.at("values.csv"), `string,many,few\n${table.join("\n")}\n`);
    const problem = [
      ...["alphabet: AB", "length: 4", "oracle: { table: values.csv }", "preferences: conditioned"],
      ...["objectives:", "  - { name: many, best: 4, weight: 3 }"],
      ...["  - { name: few, worst: 1, best: 5, atMost: 4 }", "reward: { exponent: 4 }"],
    ];
    writeFileSync(cli.at("problem.yaml"), `${problem.join("\n")}\n`);
  });

  test("trains one policy, of which evaluate and sample take the preference", () => {
    const folder = cli.at("design");
    const flags = ["--out", folder, "--iterations", "300", "--json"];
    const { status, stdout } = cli.gflownet("design", "problem.yaml", ...flags);
    expect(status).toBe(0);
    const { pareto, calls } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    // BBBB violates atMost 4. The others have u = A / 4 and v = (4 − A) / 4: each string is on the front.
    expect(calls).toBe(16);
    expect(pareto).toMatchObject({ front: 15, feasible: 15, reference: [0, 1] });
    // The staircase of (1/4, 3/4), (2/4, 2/4), (3/4, 1/4) and (1, 0), which adds nothing.
    expect(pareto.hypervolume).toBeCloseTo(6 / 16, 12);
    const tv = (preference: string) => {
      const result = cli.gflownet("evaluate", folder, "--preference", preference, "--json");
      return JSON.parse(result.stdout).tv;
    };
    for (const preference of ["1,0", "0.5,0.5", "0,1"]) expect(tv(preference)).toBeLessThan(0.1);
    const meanOfA = (preference: string) => {
      const { stdout: csv } = cli.gflownet("sample", folder, "-n", "200", "--preference", preference);
      const strings = csv
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[0]);
      return strings.join("").split("A").length / strings.length;
    };
    expect(meanOfA("1,0")).toBeGreaterThan(meanOfA("0,1") + 1);
  });

  test("is refused if the budget does not cover all strings, and a wrong preference is one sentence", () => {
    const small = cli.gflownet("design", "problem.yaml", "--out", cli.at("small"), "--budget", "8");
    expect(small.status).toBe(2);
    expect(small.stderr).toContain(
      "preferences: conditioned needs a score of every legal string: there are 16 (at most 131,072 are possible), and the budget is 8; raise it",
    );
    const wrong = cli.gflownet("sample", cli.at("design"), "--preference", "0.5");
    expect(wrong.stderr).toBe(
      "gflownet: --preference: must be 2 weights from 0 on that sum to 1, got [0.5]\n",
    );
    expect(cli.gflownet("sample", cli.at("design"), "--preference", "a,b").stderr).toContain(
      "--preference: must be weights from 0 to 1, separated by commas, got",
    );
  });
});
