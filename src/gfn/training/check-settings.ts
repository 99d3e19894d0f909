// Checks of training settings: the rule of each setting by itself, and the rules between settings and the environment.
//
// Every check reports all issues at once. A rule between settings is skipped while one of its settings is invalid.

import { type Issue, throwIssues } from "../../issues.ts";
import { isConstant, type Schedule, scheduleAt } from "../../nn/optim/schedule.ts";
import { type Kind, problemOf } from "../../settings/kinds.ts";
import { isSequence } from "../environment/capabilities.ts";
import { type Environment, isEnumerable } from "../environment/environment.ts";
import { isPreference } from "../environment/preference.ts";
import { gammaProblem, useProblem } from "../objectives/entropy-ratio/options.ts";
import { literalProblem } from "../objectives/literal-kl.ts";
import { learnsDynamics } from "../objectives/objective.ts";
import { conditionsOnThought, includesThought, type Settings } from "./settings.ts";
import { SETTING_KEYS } from "./settings-table.ts";

/** Inputs of the rules other than the settings. */
export interface SettingsContext {
  readonly environment: Environment;
  /** Whether the scores of all objects are in a table, or a function scores objects on request. */
  readonly scores: "table" | "function";
  /** Whether offline objects are given. */
  readonly hasOfflineObjects: boolean;
  /** Whether the run has a call budget, and so draws its batches from the data set. Default: false. */
  readonly hasCallBudget?: boolean;
  /** Whether iterations report the residuals of the balance. Default: false. */
  readonly residuals?: boolean;
}

interface Rule {
  /** The settings that the rule compares. The issue is reported for the first one. */
  readonly keys: readonly [keyof Settings, ...(keyof Settings)[]];
  readonly code: string;
  /** The message of the issue, or null if the rule holds. */
  problem(settings: Settings, context: SettingsContext): string | null;
}

/** Throws a UserError with all issues. */
export function checkSettings(settings: Settings, context: SettingsContext): void {
  const invalid = invalidSettings(settings);
  throwIssues([...invalid, ...settingConflicts(settings, context, new Set(invalid.map(({ path }) => path)))]);
}

/** Issues of single settings: a wrong type or a value out of range. */
function invalidSettings(settings: Settings): Issue[] {
  return Object.entries(SETTING_KEYS).flatMap(([path, { kind }]) => {
    const message = problemOf(kind as Kind<unknown>, settings[path as keyof Settings]);
    return message ? [{ path, code: "range", message }] : [];
  });
}

/** Issues with combinations of settings. Combinations with a setting that is itself invalid are left out. */
export function settingConflicts(
  settings: Settings,
  context: SettingsContext,
  invalid: ReadonlySet<string> = new Set(),
): Issue[] {
  return RULES.flatMap(({ keys, code, problem }) => {
    if (keys.some((name) => invalid.has(name))) return [];
    const message = problem(settings, context);
    return message ? [{ path: keys[0], code, message }] : [];
  });
}

const SHARES = ["uniformShare", "offlineShare", "replayShare"] as const;
/** Points of a run at which the shares of the batch are checked. */
const PROBES = 100;

const RULES: readonly Rule[] = [
  {
    keys: SHARES,
    code: "conflict",
    problem(settings) {
      const largest = SHARES.map((name) => peakOf(settings[name])).reduce((a, b) => a + b);
      if (largest <= 1 + 1e-9) return null;
      const shares = SHARES.map((name) => `\`${name}\` ${SETTING_KEYS[name].kind.toText(settings[name])}`);
      return `must leave room for the other shares: together they take up to ${largest} of the batch (${shares.join(", ")})`;
    },
  },
  {
    keys: [...SHARES, "batch", "dynamics"],
    code: "conflict",
    problem(settings) {
      const rowsAt = (progress: number) =>
        SHARES.reduce(
          (sum, name) => sum + Math.round(scheduleAt(settings[name], progress) * settings.batch),
          0,
        );
      const probes = Array.from({ length: PROBES + 1 }, (_, i) => i / PROBES);
      const full = probes.every((progress) => rowsAt(progress) >= settings.batch);
      return full && learnsDynamics(settings)
        ? "must leave rows for on-policy trajectories: the dynamics model learns only from those, but off-policy rows fill the batch throughout"
        : null;
    },
  },
  {
    keys: ["offlineShare"],
    code: "missing",
    problem: ({ offlineShare }, { hasOfflineObjects }) =>
      isConstant(offlineShare, 0) || hasOfflineObjects
        ? null
        : "needs offline objects (`offlineFile`); give some, or set the share to 0",
  },
  {
    keys: ["uniformShare"],
    code: "unsupported",
    problem: ({ uniformShare }, { environment }) =>
      isConstant(uniformShare, 0) || isEnumerable(environment) || environment.uniformObject
        ? null
        : `must be 0 because the objects of ${environment.name} are not enumerated; use \`epsilon\``,
  },
  {
    keys: ["learnLogZ", "balance"],
    code: "conflict",
    problem: ({ learnLogZ, balance }) =>
      !learnLogZ || balance === "tb" || balance === "subtb"
        ? null
        : `requires the balance tb or subtb, got ${balance}`,
  },
  {
    keys: ["balance"],
    code: "unsupported",
    problem: ({ balance }, { environment, scores }) =>
      balance !== "fl-db" ||
      (environment.hasStop && environment.stopsEverywhere !== false && scores === "table")
        ? null
        : `fl-db needs rewards of unfinished objects, but ${scores === "table" ? environment.name : "a score function"} has none; use db`,
  },
  {
    keys: ["dynamics"],
    code: "unsupported",
    problem: ({ dynamics }, { environment }) =>
      dynamics !== "none" || !environment.outcomeAllowed
        ? null
        : `none treats an outcome as the action with the same number, but outcomes of ${environment.name} have numbers of their own; use joint or marginal`,
  },
  {
    keys: ["balance", "dynamics"],
    code: "conflict",
    problem: ({ balance, dynamics }) =>
      dynamics !== "expected" || balance === "db"
        ? null
        : `must be db with dynamics expected, got ${balance}`,
  },
  {
    keys: ["loss", "dynamics"],
    code: "conflict",
    problem: ({ loss, dynamics }) =>
      dynamics !== "expected" || loss !== "huber"
        ? null
        : `must be squared (soft Q-learning) or kl (expected flows) with dynamics expected, got ${loss}`,
  },
  ...(["uniformShare", "offlineShare"] as const).map(
    (share): Rule => ({
      keys: [share, "dynamics"],
      code: "conflict",
      problem: ({ dynamics, [share]: value }) =>
        dynamics !== "expected" || isConstant(value, 0)
          ? null
          : "must be 0 with dynamics expected, because such objects come without actions; use `epsilon` or `replayShare`",
    }),
  ),
  {
    keys: ["replayPriority", "replayShare", "dynamics"],
    code: "conflict",
    problem: ({ replayPriority, replayShare, dynamics }) =>
      dynamics !== "expected" || isConstant(replayShare, 0) || replayPriority === 0
        ? null
        : `must be 0 with dynamics expected, because replay by score favours lucky outcomes, got ${replayPriority}`,
  },
  {
    keys: ["loss", "balance", "dynamics"],
    code: "conflict",
    problem: ({ loss, balance, dynamics }) =>
      loss !== "kl-literal" || (balance === "db" && dynamics === "joint")
        ? null
        : `kl-literal sums over the actions of each step and requires balance db and dynamics joint, got ${balance} and ${dynamics}`,
  },
  {
    keys: ["loss"],
    code: "unsupported",
    problem: ({ loss }, { environment }) => (loss === "kl-literal" ? literalProblem(environment) : null),
  },
  {
    keys: ["encoderWidth"],
    code: "range",
    problem: ({ encoderWidth }) => (encoderWidth % 2 === 0 ? null : `must be even, got ${encoderWidth}`),
  },
  {
    keys: ["encoderHeads", "encoderWidth"],
    code: "conflict",
    problem: ({ encoderHeads, encoderWidth }) =>
      encoderWidth % encoderHeads === 0
        ? null
        : `must divide \`encoderWidth\`, got ${encoderHeads} heads for a width of ${encoderWidth}`,
  },
  {
    keys: ["state", "encoder", "network"],
    code: "conflict",
    problem: ({ state, encoder, network }) =>
      state !== "none" || encoder !== "none" || network !== "mlp"
        ? null
        : "none requires an `encoder`, because the policy would have no input",
  },
  {
    keys: ["network"],
    code: "unsupported",
    problem: ({ network }, { environment }) =>
      network === "mlp" || isSequence(environment)
        ? null
        : `must be mlp for ${environment.name}, because ${network} reads the letters of a string, got ${network}`,
  },
  {
    keys: ["network", "encoder"],
    code: "conflict",
    problem: ({ network, encoder }) =>
      network === "mlp" || encoder === "none"
        ? null
        : `must be mlp with \`encoder\` ${encoder}, which is a second network over the history, got ${network}`,
  },
  {
    keys: ["dynamics", "balance", "loss"],
    code: "conflict",
    problem: ({ dynamics, balance, loss }) =>
      dynamics !== "thought" || (balance === "tb" && loss === "kl")
        ? null
        : `thought requires balance tb and loss kl, got ${balance} and ${loss}`,
  },
  {
    keys: ["encoder", "dynamics"],
    code: "conflict",
    problem: ({ encoder, dynamics }) =>
      dynamics !== "thought" || includesThought(encoder)
        ? null
        : `must be thought or both with dynamics thought, got ${encoder}`,
  },
  {
    keys: ["dynamics", "encoder", "dynamicsEncoder"],
    code: "conflict",
    problem: (settings) =>
      (settings.dynamics !== "joint" && settings.dynamics !== "none-intended") ||
      !conditionsOnThought(settings)
        ? null
        : `${settings.dynamics} has a backward policy that would have to be conditioned on the thought too; use marginal or thought`,
  },
  ...(["uniformShare", "offlineShare"] as const).map(
    (share): Rule => ({
      keys: [share, "encoder", "dynamicsEncoder", "dynamics"],
      code: "conflict",
      problem: (settings) =>
        isConstant(settings[share], 0) || !conditionsOnThought(settings)
          ? null
          : "must be 0 for networks conditioned on the thought, because such objects come without it; use `epsilon` or `replayShare`",
    }),
  ),
  ...SHARES.map(
    (share): Rule => ({
      keys: [share],
      code: "conflict",
      problem: ({ [share]: value }, { hasCallBudget }) =>
        hasCallBudget && !isConstant(value, 0)
          ? "must be 0 with `calls`, because batches then come from the data set of all scored objects"
          : null,
    }),
  ),
  {
    keys: ["dynamics"],
    code: "conflict",
    problem: ({ dynamics }, { hasCallBudget }) =>
      hasCallBudget && (dynamics === "expected" || dynamics === "thought")
        ? `must be none, joint or marginal with \`calls\`, because objects of the data set come without actions, got ${dynamics}`
        : null,
  },
  {
    keys: ["encoder", "dynamicsEncoder", "dynamics"],
    code: "conflict",
    problem: (settings, { hasCallBudget }) =>
      hasCallBudget && settings.dynamics !== "thought" && conditionsOnThought(settings)
        ? "must not include the thought with `calls`, because objects of the data set come without it"
        : null,
  },
  {
    keys: ["dynamicsReplayCapacity", "dynamics"],
    code: "conflict",
    problem: (settings, { hasCallBudget }) =>
      hasCallBudget && learnsDynamics(settings) && settings.dynamicsReplayCapacity === 0
        ? "must be above 0 with `calls`, because the dynamics model learns only from collected trajectories, got 0"
        : null,
  },
  {
    keys: ["rewardRamp"],
    code: "conflict",
    problem: ({ rewardRamp }, { hasCallBudget }) =>
      hasCallBudget && rewardRamp > 0
        ? `must be 0 with \`calls\`, because the data set has one reward for each object, got ${rewardRamp}`
        : null,
  },
  {
    keys: ["entropyRatio", "entropyRegulariser"],
    code: "conflict",
    problem: ({ entropyRatio, entropyRegulariser }, { hasCallBudget }) =>
      hasCallBudget && (entropyRatio !== "none" || !isConstant(entropyRegulariser, 0))
        ? "must be none, with `entropyRegulariser` 0, if the run has `calls`: both count on-policy batches"
        : null,
  },
  {
    keys: ["loss"],
    code: "conflict",
    problem: ({ loss }, { residuals }) =>
      residuals && loss === "kl-literal"
        ? "kl-literal compares two policies and has no residuals of a balance; omit `residuals`"
        : null,
  },
  ...(["encoder", "dynamicsEncoder"] as const).map(
    (encoder): Rule => ({
      keys: [encoder],
      code: "unsupported",
      problem: ({ [encoder]: value }, { environment }) =>
        isPreference(environment) && value !== "none"
          ? `must be none with preferences, which are inputs beside the state, got ${value}`
          : null,
    }),
  ),
  {
    keys: ["state"],
    code: "unsupported",
    problem: ({ state }, { environment }) =>
      isPreference(environment) && state !== "one-hot"
        ? `must be one-hot with preferences, which are numbers beside the state, got ${state}`
        : null,
  },
  {
    keys: ["balance"],
    code: "unsupported",
    problem: ({ balance }, { environment }) =>
      isPreference(environment) && balance === "vargrad"
        ? "vargrad takes one log Z for all rows of a batch, but each preference has its own; use tb or db"
        : null,
  },
  {
    keys: ["learnLogZ"],
    code: "unsupported",
    problem: ({ learnLogZ }, { environment }) =>
      isPreference(environment) && learnLogZ
        ? "must be false with preferences: log Z depends on them, and is the log flow of the start"
        : null,
  },
  { keys: ["entropyGamma"], code: "range", problem: ({ entropyGamma }) => gammaProblem(entropyGamma) },
  {
    keys: ["entropyRatio", "entropyEstimator", "entropyRegulariser", "balance", "loss"],
    code: "conflict",
    problem: useProblem,
  },
];

function peakOf(share: Schedule): number {
  return typeof share === "number" ? share : Math.max(share.from, share.to);
}
