// The settings of the playground: one flat object, in the address of the page as text. Anything may stand in an address, so
// what is wrong there is reported, and replaced by its default.

import { OBJECTIVES, type ObjectiveName } from "../gfn/objectives/objective.ts";
import type { Issue } from "../issues.ts";
import { type DescribedKeys, fixedDefaults, is } from "../settings/keys.ts";
import { boolean, choice, number, readText, text, whole } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";

/** What a visitor can train on. */
export const PROBLEMS = ["hypergrid", "formula", "picture", "tfbind8", "table"] as const;
export type ProblemName = (typeof PROBLEMS)[number];

export interface PlaygroundSettings {
  readonly problem: ProblemName;
  /** Cells along each axis of a grid. */
  readonly side: number;
  /** Formula of the reward of a cell. */
  readonly reward: string;
  /** Score of strings that a table lacks, and whether shorter strings count, too. */
  readonly missing: number;
  readonly variable: boolean;
  /** Probability that the environment replaces an action by a uniform draw. */
  readonly stick: number;
  readonly objective: ObjectiveName;
  readonly rewardExponent: number;
  /** Share of exploration at the start of a run. */
  readonly exploration: number;
  /** Width and number of the hidden layers of the policy. */
  readonly width: number;
  readonly layers: number;
  /** Whether the policy has learned logits for each state beside its network. */
  readonly stateTable: boolean;
  readonly iterations: number;
  readonly seed: number;
}

/** Objectives that cannot be trained on every problem of the page are left out. */
export const PLAYGROUND_OBJECTIVES = (Object.keys(OBJECTIVES) as ObjectiveName[]).filter(
  (name) => !["kl-thought", "kl-literal"].includes(name),
);

const NARROWEST = 8;
export const WIDTHS = [NARROWEST, 16, 32, 64, 128, 256] as const;

// biome-ignore format: a table
export const PLAYGROUND_KEYS: DescribedKeys<PlaygroundSettings> = {
  problem: { kind: choice(PROBLEMS), help: "what to train on", default: is("hypergrid") },
  side: { kind: whole(4, 32), help: "cells along each of the two axes of the grid", default: is(8) },
  reward: { kind: text("a formula"), help: "reward of a cell, as a formula of x1 and x2 from 0 to 1, or of whole i1 and i2", default: is("exp(-30 * ((x1 - .3)^2 + (x2 - .7)^2)) + 2 * exp(-60 * ((x1 - .8)^2 + (x2 - .25)^2))") },
  missing: { kind: number({ from: 0 }), help: "score of strings that the table lacks", default: is(0) },
  variable: { kind: boolean(), help: "strings of all lengths up to the longest", default: is(false) },
  stick: { kind: number({ from: 0, to: 0.95 }), help: "probability that the environment replaces an action by a uniform draw", default: is(0.25) },
  objective: { kind: choice(PLAYGROUND_OBJECTIVES), help: "what training minimises", default: is("kl") },
  rewardExponent: { kind: number({ from: 0.25, to: 12 }), help: "the reward is the score to this power", default: is(1) },
  exploration: { kind: number({ from: 0, to: 1 }), help: "share of the batch that explores at the start; it falls to 0", default: is(0.5) },
  width: { kind: whole(NARROWEST, 256), help: "units of a hidden layer of the policy", default: is(64) },
  layers: { kind: whole(1, 3), help: "hidden layers of the policy", default: is(2) },
  stateTable: { kind: boolean(), help: "learn a correction for each state beside the network", default: is(true) },
  iterations: { kind: whole(50, 20_000), help: "length of the training", default: is(1000) },
  seed: { kind: whole(0), help: "seed of all random numbers", default: is(0) },
};

export const DEFAULT_SETTINGS = fixedDefaults(PLAYGROUND_KEYS) as PlaygroundSettings;

/** Settings that a problem starts with, where they differ. */
export const PROBLEM_DEFAULTS: Readonly<Record<ProblemName, Partial<PlaygroundSettings>>> = {
  hypergrid: {},
  formula: { side: 12 },
  picture: { side: 16, iterations: 1500 },
  table: {},
  tfbind8: { rewardExponent: 3, iterations: 1500 },
};

/** The settings with which a problem starts. */
export function settingsFor(problem: ProblemName): PlaygroundSettings {
  return { ...DEFAULT_SETTINGS, ...PROBLEM_DEFAULTS[problem], problem };
}

/** The settings as the query of an address, without those that are as the problem starts. */
export function queryOf(settings: PlaygroundSettings): string {
  const byDefault = settingsFor(settings.problem);
  const query = new URLSearchParams();
  for (const name of NAMES) {
    if (name !== "problem" && settings[name] === byDefault[name]) continue;
    query.set(name, PLAYGROUND_KEYS[name].kind.toText(settings[name] as never));
  }
  return query.toString();
}

/** The settings of a query, and what is wrong with it. */
export function settingsOf(query: string): {
  readonly settings: PlaygroundSettings;
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const given: Record<string, unknown> = {};
  for (const [name, text] of new URLSearchParams(query)) {
    if (!isName(name)) {
      const meant = nearest(name, NAMES);
      const message = `there is no such setting${meant === undefined ? "" : `; \`${meant}\` is one`}`;
      issues.push({ path: name.slice(0, MOST_SHOWN), code: "unknown", message });
      continue;
    }
    const read = readText<unknown>(PLAYGROUND_KEYS[name].kind, text);
    if ("value" in read) given[name] = read.value;
    else issues.push({ path: name, code: "range", message: read.problem });
  }
  return { settings: { ...settingsFor((given.problem ?? "hypergrid") as ProblemName), ...given }, issues };
}

const NAMES = Object.keys(PLAYGROUND_KEYS) as (keyof PlaygroundSettings)[];
/** Letters of an unknown name that a message shows. */
const MOST_SHOWN = 40;

function isName(name: string): name is keyof PlaygroundSettings {
  return Object.hasOwn(PLAYGROUND_KEYS, name);
}
