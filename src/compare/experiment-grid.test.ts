// Tests of the names of experiments: valid on every system, and unique.

import { expect, test } from "vitest";
import { experimentFileName, experimentTitle } from "./experiment-grid.ts";

const named = (method: string, stick: number | null = 0.25) => experimentFileName({ method, stick, seed: 0 });

test("a method without settings has its plain name", () => {
  expect(named("kl-entropy:0.25")).toBe("kl-entropy-0.25_stick=0.25_seed=0.jsonl");
  expect(named("kl", null)).toBe("kl_seed=0.jsonl");
  expect(experimentTitle({ method: "kl", stick: null, seed: 1 })).toBe("kl, seed 1");
});

test("names are valid, short and unique, however many settings a method has", () => {
  const settings = Array.from({ length: 40 }, (_, i) => `key${i}=${i}`).join(",");
  const methods = [
    "kl:learningRate=1:2:cosine",
    "kl:learningRate=1:2-cosine",
    `kl:${settings}`,
    `kl:${settings}0`,
  ];
  const names = methods.map((method) => named(method));
  expect(new Set(names).size).toBe(methods.length);
  for (const name of names) expect(name).toMatch(/^[\w=.,+-]{1,120}$/);
});
