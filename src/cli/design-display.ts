// The progress display of a design: calls, the best score, the mean of the best, and circles.

import type { DesignEvent } from "../design/design-run.ts";
import { distanceOf } from "../design/distance.ts";
import { summary, TOP } from "../design/finish-design.ts";
import type { Stage } from "../design/rounds/propose-round.ts";
import { roundJson, roundSummary } from "../design/rounds/round-text.ts";
import { shortLine } from "../issues.ts";
import type { Problem } from "../problem/problem.ts";
import { formatCount, formatCountOf, formatNumber } from "../report/text-format.ts";
import { printJson } from "./output.ts";
import { ProgressLine } from "./progress-line.ts";

/** Milliseconds between two updates of the line, and between two counts of circles. */
const [REDRAW, COUNT_EVERY] = [200, 3000];
/** Problems of the oracle that are shown: each may name another string, so there may be very many. */
const MOST_PROBLEMS = 3;
const LONGEST_PROBLEM = 600;

/** What a part of a round does. */
const STAGES: Readonly<Record<Stage, string>> = {
  proxies: "fitting proxies to the scores",
  policy: "training the policy on the proxy",
  search: "searching for strings to score",
};

export interface DesignDisplayOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly radius: number;
}

/** The sentence on the calls of a folder. An earlier run may have had a larger budget. */
export function callsText(calls: number, budget: number): string {
  return calls > budget
    ? `${formatCount(calls)} calls were made by all runs of the folder, more than the budget of ${formatCount(budget)}, so this run made none.`
    : `${spentText(calls, budget)} were made.`;
}

function spentText(calls: number, budget: number): string {
  return calls > budget
    ? `${formatCountOf(calls, "call")} (budget ${formatCount(budget)})`
    : `${formatCount(calls)} of ${formatCount(budget)} calls`;
}

/** Shows the events of a design run. */
export class DesignDisplay {
  readonly #progress: ProgressLine;
  readonly #options: DesignDisplayOptions;
  readonly #problem: Problem;
  readonly #budget: number;
  #total = 0;
  #drawn = Number.NEGATIVE_INFINITY;
  #counted = Number.NEGATIVE_INFINITY;
  #best = "";
  readonly #problems = new Set<string>();

  constructor(options: DesignDisplayOptions, problem: Problem, budget: number) {
    this.#options = options;
    this.#problem = problem;
    this.#budget = budget;
    this.#progress = new ProgressLine(options.quiet || options.json ? undefined : process.stderr);
  }

  handle(event: DesignEvent): void {
    if (event.kind === "problem") {
      if (this.#problems.has(event.message) || this.#problems.size === MOST_PROBLEMS) return;
      this.#problems.add(event.message);
    }
    if (this.#options.json) {
      this.#print(event);
      return;
    }
    switch (event.kind) {
      case "problem":
        this.#progress.print(
          `gflownet: ${shortLine(event.message, LONGEST_PROBLEM)}; the strings are sent again`,
        );
        return;
      case "scoring": {
        const { done, total } = event;
        this.#progress.show(`${formatCount(done)} of ${formatCount(total)} strings scored`, done / total);
        return;
      }
      case "ready": {
        const { mode, oracle, space, known, resumedAt } = event;
        const how = mode === "table" ? "every legal string is scored" : "learning from the scored strings";
        const from = resumedAt === null ? "" : `, continued after ${formatCount(resumedAt)} iterations`;
        this.#progress.print(
          `${space}; ${oracle ?? "measurements"}; ${formatCount(known)} known scores; ${how}${from}`,
        );
        return;
      }
      case "rounds":
        this.#round(event);
        return;
      case "training":
        this.#training(event);
        return;
      default:
        event satisfies never;
    }
  }

  /** Shows which part of a round begins. */
  stage(stage: Stage, round?: number): void {
    if (this.#options.json) return;
    const prefix = round === undefined ? "" : `round ${round + 1}: `;
    this.#progress.show(`${prefix}${STAGES[stage]}`, 0);
  }

  clear(): void {
    this.#progress.clear();
  }

  #print(event: DesignEvent): void {
    if (event.kind === "rounds") {
      if (event.event.kind === "round")
        printJson(roundJson(event.event.round, event.event.result, event.calls));
    } else if (event.kind !== "training") printJson(event);
    else if (event.event.kind !== "iteration") printJson(event.event);
  }

  #round({ event, calls }: DesignEvent & { readonly kind: "rounds" }): void {
    switch (event.kind) {
      case "stage":
        this.stage(event.stage, event.round);
        return;
      case "proposed":
        this.#progress.show(
          `round ${event.round + 1}: ${formatCount(event.strings)} strings are being scored`,
          calls / this.#budget,
        );
        return;
      case "round": {
        const { round, result, scored } = event;
        const spent = spentText(calls, this.#budget);
        this.#progress.print(
          `round ${round + 1}: ${spent}${this.#bestText(scored)}; ${roundSummary(result, scored)}`,
        );
        return;
      }
      default:
        event satisfies never;
    }
  }

  #training({ event, calls, designs }: DesignEvent & { readonly kind: "training" }): void {
    if (event.kind === "start" || event.kind === "plan") this.#total = event.iterations ?? this.#total;
    if (event.kind !== "iteration") return;
    const now = performance.now();
    if (now - this.#drawn < REDRAW) return;
    this.#drawn = now;
    if (now - this.#counted > COUNT_EVERY) {
      this.#best = this.#bestText(designs());
      this.#counted = performance.now();
    }
    const spent = this.#budget > 0 ? `${spentText(calls, this.#budget)}  ` : "";
    const { iteration } = event;
    const steps = `${formatCount(iteration)} of ${formatCount(this.#total)} iterations`;
    this.#progress.show(`${spent}${steps}${this.#best}`, this.#total > 0 ? iteration / this.#total : 0);
  }

  #bestText(designs: Parameters<typeof summary>[0]): string {
    if (designs.length === 0) return "";
    const { goal } = this.#problem.reward;
    const { best, topMean, circles } = summary(
      designs,
      goal,
      this.#options.radius,
      distanceOf(this.#problem),
    );
    return `  best ${formatNumber(best)}  mean of top ${TOP} ${formatNumber(topMean)}  circles ${circles}`;
  }
}
