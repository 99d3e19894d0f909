// The methods of the assays benchmark. Each is loaded only when it is used, and names the sources that its results depend
// on, so that a change of one method does not make the stored results of the others useless.

import type { ConstrainedSequenceEnvironment } from "../../src/gfn/environment/constrained-sequence.ts";
import type { StringSearch, StringSearchOptions } from "../../src/search/string-search.ts";

/** What a method gets: nothing is known about the scores. */
export interface AssayOptions extends StringSearchOptions {
  readonly environment: ConstrainedSequenceEnvironment;
  /** Number of rounds, and of strings in each. */
  readonly rounds: number;
  readonly batch: number;
}

/** How many scores were inside the intervals that a method had predicted for them. */
export interface Coverage {
  readonly inside: number;
  readonly total: number;
}

/** A search that may have a proxy. */
export interface AssaySearch extends StringSearch {
  /** Number of strings that proxies have predicted. */
  readonly proxyCalls?: number;
  /** How many scores of all rounds were inside the 80 % intervals that were predicted before the strings were asked. */
  coverage?(): Coverage;
}

/** A method with its sources, as paths from the root of the project. */
export interface AssayMethod {
  readonly sources: readonly string[];
  make(options: AssayOptions): Promise<AssaySearch>;
}

/** The name of this library's method, which all others are compared with. */
export const OURS = "active learning";
export const GENETIC_ALGORITHM = "genetic algorithm";

/** All methods by name. */
export const METHODS: Readonly<Record<string, AssayMethod>> = {
  random: {
    sources: ["src/search/random-strings.ts"],
    make: async (options) => (await import("../../src/search/random-strings.ts")).randomStrings(options),
  },
  "Metropolis–Hastings": {
    sources: ["src/search/metropolis-strings.ts"],
    make: async (options) =>
      (await import("../../src/search/metropolis-strings.ts")).metropolisStrings(options),
  },
  [GENETIC_ALGORITHM]: {
    sources: ["src/search/genetic-algorithm.ts"],
    make: async (options) =>
      (await import("../../src/search/genetic-algorithm.ts")).geneticAlgorithm(options),
  },
  AdaLead: {
    sources: ["src/search/adalead.ts", "src/proxy/choose-proxy.ts"],
    async make(options) {
      const { adalead } = await import("../../src/search/adalead.ts");
      const { meanProxy } = await import("./mean-proxy.ts");
      return adalead({ ...options, fitProxy: meanProxy(options.environment) });
    },
  },
  [OURS]: {
    sources: ["src/design/rounds/active-learner.ts"],
    async make({ environment, seed, rounds }) {
      const { activeLearner } = await import("../../src/design/rounds/active-learner.ts");
      const { min, max } = environment.space.length;
      const distance = min === max ? "hamming" : "edit";
      return activeLearner({ environment, seed, acquisition: "thompson", distance, rounds });
    },
  },
};
