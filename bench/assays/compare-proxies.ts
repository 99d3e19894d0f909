// Compares proxies by the share of the variance that they explain of strings that their members did not see. The strings are those
// that the genetic algorithm asked for, on problems that are not in the assays benchmark. A transformer is compared with them.
//
// Usage: npx tsx bench/assays/compare-proxies.ts (about ten minutes; prints a table)

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { constrainedSequenceEnvironment } from "../../src/gfn/environment/constrained-sequence.ts";
import { ehrlichLandscape } from "../../src/landscapes/ehrlich.ts";
import { generateEhrlich } from "../../src/landscapes/ehrlich-generator.ts";
import type { Landscape } from "../../src/landscapes/landscape.ts";
import { nkLandscape } from "../../src/landscapes/nk.ts";
import { mean, variance } from "../../src/math/statistics.ts";
import { kernelProxy } from "../../src/proxy/kernel-proxy.ts";
import { kmerProxy } from "../../src/proxy/kmer-proxy.ts";
import { networkProxies, proxiesOf } from "../../src/proxy/network-proxy.ts";
import type { ProxyData, ScoreProxy } from "../../src/proxy/proxy.ts";
import { geneticAlgorithm } from "../../src/search/genetic-algorithm.ts";
import { sequenceIndex } from "../../src/tasks/tfbind8/eight-mers.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { transformerNetwork } from "./transformer-network.ts";

const COUNTS = [384, 1280];
const BATCH = 64;
const SEEDS = [0, 1];
const SIX6 = fileURLToPath(new URL("../../../shared/data/tfbind/SIX6_REF_R1_8mers.txt", import.meta.url));

interface Problem {
  readonly name: string;
  readonly alphabet: string;
  readonly length: number;
  readonly constraints: Parameters<typeof constrainedSequenceEnvironment>[0]["constraints"];
  score(string: string, tokens: readonly number[]): number;
}

const ofLandscape = (
  name: string,
  landscape: Landscape,
  constraints: Problem["constraints"] = [],
): Problem => ({
  ...{
    name,
    alphabet: "ABCDEFGHIJKLMNOPQRST".slice(0, landscape.letters),
    length: landscape.length,
    constraints,
  },
  score: (_, tokens) => landscape.score(tokens) ?? 0,
});

async function problems(): Promise<Problem[]> {
  const ehrlich = ehrlichLandscape(
    generateEhrlich({ states: 20, length: 15, motifs: 2, motifLength: 5, seed: 101 }),
  );
  const nk = (k: number) => nkLandscape({ letters: 4, length: 14, neighbours: k, seed: 7 });
  const found = [
    ofLandscape("Ehrlich, 15 letters of 20, 2 motifs of 5", ehrlich, ehrlich.pairs ? [ehrlich.pairs] : []),
    ofLandscape("NK, 14 letters of 4, K = 1", nk(1)),
    ofLandscape("NK, 14 letters of 4, K = 3", nk(3)),
  ];
  if (!existsSync(SIX6)) return found;
  const table = await readBindingTable(SIX6);
  const constraints: Problem["constraints"] = [];
  const score = (string: string) => table[sequenceIndex(string)];
  return [{ name: "SIX6", alphabet: "ACGT", length: 8, constraints, score }, ...found];
}

/** The first strings that the genetic algorithm asks for. */
async function strings(problem: Problem, count: number, seed: number): Promise<ProxyData> {
  const { alphabet, length, constraints } = problem;
  const environment = constrainedSequenceEnvironment({
    space: { tokens: [...alphabet], length: { min: length, max: length } },
    constraints,
    noise: { kind: "none" },
    enumerable: false,
  });
  const tokensOf = (string: string) => [...string].map((letter) => alphabet.indexOf(letter));
  const search = geneticAlgorithm({ environment, seed });
  const asked: { string: string; score: number }[] = [];
  while (asked.length < count) {
    const scored = (await search.ask(Math.min(BATCH, count - asked.length))).map((string) => ({
      string,
      score: problem.score(string, tokensOf(string)),
    }));
    await search.tell(scored);
    asked.push(...scored);
  }
  return {
    strings: asked.map(({ string }) => tokensOf(string)),
    scores: asked.map(({ score }) => score),
    tokens: alphabet.length,
    length,
  };
}

type Fit = (data: ProxyData, seed: number) => Promise<Pick<ScoreProxy<string>, "outOfFold">>;

const ofNetwork =
  (make: (data: ProxyData) => ReturnType<typeof proxiesOf<string>>): Fit =>
  async (data, seed) => {
    const proxies = await make(data);
    const fitted = await proxies.fit(data, seed);
    await proxies.dispose();
    return fitted;
  };

const ofTransformer = (layers: number) =>
  ofNetwork(({ tokens, length }) =>
    proxiesOf("transformer", transformerNetwork(tokens, length, layers), tokens * length),
  );

const PROXIES: Readonly<Record<string, Fit>> = {
  linear: async (data) => kernelProxy("linear", data),
  kmers: async (data) => kmerProxy(data),
  mlp: ofNetwork((data) => networkProxies("mlp", data)),
  convolution: ofNetwork((data) => networkProxies("convolution", data)),
  "transformer, 1 layer": ofTransformer(1),
  "transformer, 2 layers": ofTransformer(2),
};

function explained({ outOfFold }: Pick<ScoreProxy<string>, "outOfFold">, { scores }: ProxyData): number {
  const errors = outOfFold.map((value, i) => (value - scores[i]) ** 2);
  return 1 - mean(errors) / variance(Float64Array.from(scores));
}

console.log(`| problem | strings | ${Object.keys(PROXIES).join(" | ")} |`);
console.log(
  `| --- | --: |${Object.keys(PROXIES)
    .map(() => " --: |")
    .join("")}`,
);
for (const problem of await problems()) {
  for (const count of COUNTS) {
    const data = await Promise.all(SEEDS.map((seed) => strings(problem, count, seed)));
    const cells: string[] = [];
    for (const fit of Object.values(PROXIES)) {
      const before = process.cpuUsage();
      const shares: number[] = [];
      for (const [i, seed] of SEEDS.entries()) shares.push(explained(await fit(data[i], seed), data[i]));
      const { user, system } = process.cpuUsage(before);
      const seconds = (user + system) / 1e6 / SEEDS.length;
      cells.push(
        `${shares.map((share) => `${(100 * share).toFixed(0)} %`).join(", ")} (${seconds.toFixed(1)} s)`,
      );
    }
    console.log(`| ${problem.name} | ${count} | ${cells.join(" | ")} |`);
  }
}
