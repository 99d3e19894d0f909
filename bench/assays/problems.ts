// The problems of the assays benchmark: strings with an oracle, and how many of the best strings are judged.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Constraint } from "../../src/constraints/index.ts";
import {
  type ConstrainedSequenceEnvironment,
  constrainedSequenceEnvironment,
} from "../../src/gfn/environment/constrained-sequence.ts";
import { ehrlichLandscape } from "../../src/landscapes/ehrlich.ts";
import { parseEhrlich } from "../../src/landscapes/ehrlich-instance.ts";
import { landscapeOracle } from "../../src/landscapes/landscape-oracle.ts";
import { functionOracle } from "../../src/oracle/function-oracle.ts";
import type { Oracle } from "../../src/oracle/oracle.ts";
import { programOracle } from "../../src/oracle/program-oracle.ts";
import { sequenceIndex } from "../../src/tasks/tfbind8/eight-mers.ts";
import { readBindingTable } from "../../src/tasks/tfbind8/read-binding-table.ts";
import { findViennaRna } from "../python.ts";

/** One problem. */
export interface AssayProblem {
  readonly name: string;
  /** The mean score and the circles of this many best strings are measured. */
  readonly top: number;
  /** The radius of the circles. */
  readonly radius: number;
  /** The largest score, where it is known: a run that has found it ends, because only the best score is compared. */
  readonly optimum?: number;
  /** What is missing to measure this problem, as a sentence; null if nothing is. */
  missing(): Promise<string | null>;
  /** Identifies the data that the scores depend on. */
  dataHash(): string;
  open(): Promise<{ readonly environment: ConstrainedSequenceEnvironment; readonly oracle: Oracle }>;
}

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const EHRLICH_FILE = path("../shared/data/ehrlich/instances.json");
const CRX_FILE = path("../shared/data/tfbind/CRX_REF_R1_8mers.txt");
const RNA_PROGRAM = path("examples/rna/score.py");

/** The instances of each size, by their index in the file. */
const EHRLICH_INSTANCES = {
  "Ehrlich v20 L15 c2 k5": [5, 6, 7, 8, 9],
  "Ehrlich v20 L64 c4 k10": [10],
  "Ehrlich v32 L32 c4 k4": [11, 12],
};

function environmentOf(
  alphabet: string,
  length: number,
  constraints: readonly Constraint[] = [],
): ConstrainedSequenceEnvironment {
  return constrainedSequenceEnvironment({
    space: { tokens: [...alphabet], length: { min: length, max: length } },
    constraints,
    noise: { kind: "none" },
    enumerable: false,
  });
}

const missingFile = (file: string) => (existsSync(file) ? null : `${file} is missing`);
const fileHash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

function ehrlichProblem(size: string, index: number): AssayProblem {
  return {
    name: `${size}, instance ${index}`,
    top: 100,
    radius: 3,
    optimum: 1,
    missing: async () => missingFile(EHRLICH_FILE),
    dataHash: () => fileHash(EHRLICH_FILE),
    async open() {
      const text = readFileSync(EHRLICH_FILE, "utf8");
      const landscape = ehrlichLandscape(parseEhrlich(text, { index, source: EHRLICH_FILE }));
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".slice(0, landscape.letters);
      const environment = environmentOf(alphabet, landscape.length, [landscape.pairs]);
      return { environment, oracle: landscapeOracle(landscape, [...alphabet]) };
    },
  };
}

function rnaProblem(target: string): AssayProblem {
  return {
    name: `${target} L14`,
    top: 128,
    radius: 3,
    missing: async () =>
      (await findViennaRna())
        ? null
        : "ViennaRNA is missing: pip install ViennaRNA, and let GFLOWNET_PYTHON name its Python",
    dataHash: () => fileHash(RNA_PROGRAM),
    async open() {
      const python = await findViennaRna();
      if (!python) throw new Error("ViennaRNA is missing");
      const command = [python.file, RNA_PROGRAM, target];
      const oracle = await programOracle({ command, protocol: "plain-lines", batch: 128 });
      return { environment: environmentOf("ACGU", 14), oracle };
    },
  };
}

const CRX: AssayProblem = {
  name: "CRX 8-mers",
  top: 100,
  radius: 2,
  missing: async () => missingFile(CRX_FILE),
  dataHash: () => fileHash(CRX_FILE),
  async open() {
    const table = await readBindingTable(CRX_FILE);
    const oracle = functionOracle({
      score: (string) => table[sequenceIndex(string)],
      label: `the table ${CRX_FILE}`,
    });
    return { environment: environmentOf("ACGT", 8), oracle };
  },
};

/** Groups of problems whose results make one row together. */
export const PROBLEMS: Readonly<Record<string, readonly AssayProblem[]>> = {
  ...Object.fromEntries(
    Object.entries(EHRLICH_INSTANCES).map(([size, indices]) => [
      size,
      indices.map((index) => ehrlichProblem(size, index)),
    ]),
  ),
  ...Object.fromEntries(["RNA1", "RNA2", "RNA3"].map((target) => [`${target} L14`, [rnaProblem(target)]])),
  [CRX.name]: [CRX],
};

/** The problem of a name. */
export function problemNamed(name: string): AssayProblem {
  const found = Object.values(PROBLEMS)
    .flat()
    .find((problem) => problem.name === name);
  if (!found) throw new RangeError(`assays: there is no problem ${name}`);
  return found;
}
