// The data of the views that explain a run, as plain JSON of limited size. `views.ts` computes them; the browser draws them.
//
// Numbers that JSON does not have (NaN, infinities) are null. This file imports nothing, because the browser uses it.

/** Fields that all views have. */
interface View<N extends string> {
  readonly view: N;
  /** Whether the numbers are exact (by enumeration or in closed form) or estimated from samples. */
  readonly exact: boolean;
  /** Sentences that say what is shown, what was left out and why. */
  readonly notes: readonly string[];
}

/** The target beside the learned distribution and the best reachable one. */
export interface DistributionView extends View<"distribution"> {
  readonly objects: number;
  /** Probabilities of objects sorted by target probability, at some ranks; means over the ranks around each. */
  readonly sorted: {
    readonly rank: readonly number[];
    readonly target: readonly number[];
    readonly learned: readonly number[];
    readonly limit: readonly number[] | null;
  };
  /** log P against log R of some objects, those of highest reward among them. */
  readonly points: readonly {
    readonly object: string;
    readonly logReward: number;
    readonly logLearned: number | null;
    readonly logLimit: number | null;
  }[];
  /** log Z of the target: a perfect policy has log P = log R − log Z. */
  readonly logZ: number;
}

/** One node of the tree (or graph) of states, with the flow through its children. */
export interface FlowView extends View<"flow"> {
  /** Outcomes from the start to the node, as the page names them in a request. */
  readonly path: readonly number[];
  /** The same as labels. */
  readonly labels: readonly string[];
  /** The state as text. */
  readonly state: string;
  /** Probability that a trajectory visits the node, under the learned policy, the target and the best reachable policy;
   * null if the target or that policy is not known. */
  readonly learned: number;
  readonly target: number | null;
  readonly limit: number | null;
  readonly children: readonly FlowChild[];
}

/** The flow of a node is the sum over its children. On a graph, it is the part that comes from the node above. */
export interface FlowChild {
  /** The outcome that leads to it; −1 for a stop. */
  readonly outcome: number;
  readonly label: string;
  readonly state: string;
  readonly isObject: boolean;
  readonly learned: number;
  readonly target: number | null;
  readonly limit: number | null;
  /** Its children in turn, if the request asked for more than one level. */
  readonly children?: readonly FlowChild[];
}

/** The thought (intended action) against the outcome, averaged over visited states or in one state. */
export interface DynamicsView extends View<"dynamics"> {
  readonly actions: readonly string[];
  readonly outcomes: readonly string[];
  /** P(outcome | action) of the environment, [action][outcome]. */
  readonly truth: readonly (readonly (number | null)[])[];
  /** The learned P̂; null if the run has no dynamics model. */
  readonly learned: readonly (readonly (number | null)[])[] | null;
  /** The same for each step of a trajectory, if they differ. */
  readonly steps: readonly {
    readonly step: number;
    readonly truth: readonly (readonly (number | null)[])[];
    readonly learned: readonly (readonly (number | null)[])[] | null;
  }[];
}

/** How often each letter occurs at each position: samples of the policy, and the target if it is known. */
export interface LogoView extends View<"logo"> {
  readonly alphabet: readonly string[];
  /** [position][letter]. */
  readonly learned: readonly (readonly number[])[];
  readonly target: readonly (readonly number[])[] | null;
}

/** Probabilities of the cells of a hypergrid: the marginal of two axes, or a slice where the others are fixed. */
export interface GridView extends View<"grid"> {
  readonly dimensions: number;
  readonly side: number;
  /** The two axes that are shown, counted from 0: columns, then rows. A grid with one axis has one row. */
  readonly axes: readonly [number, number];
  /** By axis: the index at which it is fixed; null for the axes that are shown and for those that are summed over. */
  readonly fixed: readonly (number | null)[];
  /** Cells per side of a square, if a grid is so large that squares of cells are summed. Default: 1. */
  readonly block?: number;
  /** [row · columns + column], where the columns are the indices of the first axis and the rows those of the second. There
   * are `side` of each, or ⌈side / block⌉. */
  readonly target: readonly number[];
  readonly learned: readonly number[];
  readonly limit: readonly number[] | null;
}

/** Entropies of the policy by step, under its own visits. */
export interface EntropyView extends View<"entropy"> {
  readonly steps: readonly {
    readonly step: number;
    /** In nats: mean over visits, quantiles 0.1 and 0.9, and the entropy of the uniform policy. */
    readonly mean: number;
    readonly low: number;
    readonly high: number;
    readonly uniform: number;
  }[];
}

/** Residuals of the balance by step, and the terms that they consist of. From the events, if the run logged them. */
export interface ResidualView extends View<"residuals"> {
  readonly iterations: readonly number[];
  /** Number of steps (1 for balances of whole trajectories). */
  readonly steps: number;
  /** Root mean square and mean of the residual, [iteration][step]. */
  readonly rootMeanSquare: readonly (readonly (number | null)[])[];
  readonly mean: readonly (readonly (number | null)[])[];
  /** Mean of each term of the balance with its sign in the residual, by name, [iteration][step]. */
  readonly terms: readonly {
    readonly name: string;
    readonly mean: readonly (readonly (number | null)[])[];
  }[];
}

/** Attention of the history encoder along one sampled trajectory. */
export interface AttentionView extends View<"attention"> {
  /** What the encoder reads at each position. */
  readonly tokens: readonly string[];
  /** Weights [layer][head][query][key]; keys after the query are 0. */
  readonly weights: readonly (readonly (readonly (readonly number[])[])[])[];
}

/** Modes and circles over training. */
export interface ModesView extends View<"modes"> {
  readonly iterations: readonly number[];
  readonly calls: readonly (number | null)[];
  readonly series: readonly {
    readonly name: string;
    readonly found: readonly (number | null)[];
    readonly of: number | null;
    /** What a perfect sampler finds. */
    readonly expected: number | null;
  }[];
}

/** Sampled trajectories, step by step. */
export interface TrajectoriesView extends View<"trajectories"> {
  readonly trajectories: readonly {
    readonly object: string;
    readonly score: number | null;
    readonly logProbability: number | null;
    readonly steps: readonly {
      readonly state: string;
      /** The action that the policy chose, and what happened. */
      readonly action: string;
      readonly outcome: string;
      readonly isNoise: boolean;
      /** π(a | s) of every legal action, by label. */
      readonly policy: readonly (readonly [label: string, probability: number])[];
      /** Learned probability of the outcome given the action; null without a dynamics model. */
      readonly outcomeProbability: number | null;
    }[];
  }[];
}

/** The candidates of a design, or the best samples of a run. */
export interface CandidatesView extends View<"candidates"> {
  readonly columns: readonly {
    readonly name: string;
    readonly label: string;
    readonly kind: "text" | "number";
  }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Forecasts of a backtest: one series with its actual values and quantiles, by model and cutoff. */
export interface ForecastView extends View<"forecast"> {
  readonly series: readonly string[];
  /** The series that is shown. */
  readonly chosen: string;
  readonly times: readonly string[];
  readonly actual: readonly (number | null)[];
  readonly models: readonly {
    readonly name: string;
    readonly cutoffs: readonly {
      readonly cutoff: string;
      readonly times: readonly string[];
      readonly median: readonly (number | null)[];
      readonly intervals: readonly {
        readonly level: number;
        readonly low: readonly (number | null)[];
        readonly high: readonly (number | null)[];
      }[];
    }[];
  }[];
}

/** A forecast with and without a scenario: one series, with sampled paths and probabilities. */
export interface ScenarioView extends View<"scenario"> {
  readonly series: readonly string[];
  /** The series that is shown. */
  readonly chosen: string;
  /** What the scenario asks for; null if there is none. */
  readonly question: string | null;
  /** The last values before the forecast. */
  readonly history: { readonly times: readonly string[]; readonly values: readonly (number | null)[] };
  readonly times: readonly string[];
  readonly models: readonly {
    readonly name: string;
    readonly median: readonly (number | null)[];
    readonly intervals: readonly {
      readonly level: number;
      readonly low: readonly (number | null)[];
      readonly high: readonly (number | null)[];
    }[];
    /** Some of the sampled paths. */
    readonly paths: readonly (readonly number[])[];
  }[];
  /** Probabilities and reliability, with standard errors. */
  readonly numbers: readonly {
    readonly label: string;
    readonly value: number | null;
    readonly error: number | null;
  }[];
  /** The distribution of the quantity that the condition bounds, over the paths of each model. */
  readonly quantity: {
    readonly label: string;
    readonly bound: number;
    /** Ends of the bins. */
    readonly edges: readonly number[];
    readonly shares: readonly { readonly name: string; readonly shares: readonly number[] }[];
  } | null;
}

/** How well forecast intervals and quantiles are calibrated, and metrics by model. */
export interface CalibrationView extends View<"calibration"> {
  /** The metric of the errors by step ahead; null if there are none. */
  readonly stepError: string | null;
  readonly models: readonly {
    readonly name: string;
    readonly coverage: readonly { readonly nominal: number; readonly actual: number | null }[];
    readonly metrics: Readonly<Record<string, number | null>>;
    /** Error by step ahead. */
    readonly byStep: readonly { readonly step: number; readonly error: number | null }[];
  }[];
}

/** All views. */
export type ViewData =
  | DistributionView
  | FlowView
  | DynamicsView
  | LogoView
  | GridView
  | EntropyView
  | ResidualView
  | AttentionView
  | ModesView
  | TrajectoriesView
  | CandidatesView
  | ForecastView
  | ScenarioView
  | CalibrationView;

export type ViewName = ViewData["view"];

/** What a request for a view may choose. Each view uses the options that it knows. */
export interface ViewOptions {
  /** flow: outcomes from the start. */
  readonly path?: readonly number[];
  /** flow: levels of children. Default: 2. */
  readonly levels?: number;
  /** grid: the axes that are shown, and the indices of the others. */
  readonly axes?: readonly [number, number];
  readonly fixed?: readonly (number | null)[];
  /** trajectories, attention: seed of the samples. */
  readonly seed?: number;
  /** forecast, scenario: the series that is shown. */
  readonly series?: string;
}
