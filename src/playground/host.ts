// The playground without its page: takes requests, shows problems, trains, and answers. It runs in a worker of the page.

import type { EngineName } from "../engine/index.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { UserError } from "../issues.ts";
import { type Answer, type EvaluationPoint, pointOf, type Request, type ShownProblem } from "./messages.ts";
import type { OwnData } from "./own-data.ts";
import { type Drawn, drawn } from "./picture.ts";
import { type Problem, problemOf } from "./problem.ts";
import { resultFile, withoutTables } from "./result-file.ts";
import type { PlaygroundSettings } from "./settings.ts";
import { evaluateEvery, trainingOf } from "./training.ts";

export interface HostOptions {
  readonly answer: (answer: Answer) => void;
  /** Loads the engine and returns its name. Called when a training starts. */
  readonly engine: () => Promise<EngineName>;
  /** The time in milliseconds, which goes on while the machine sleeps. Default: that of the system. */
  readonly now?: () => number;
}

/** Milliseconds between two answers about the progress, and between two pictures. */
const [PROGRESS_EVERY, PICTURE_EVERY] = [150, 250];
/** Milliseconds after which the training lets requests through. */
const LISTEN_EVERY = 25;
/** Seconds that no iteration or evaluation takes: if nothing happens for longer, the page has been asleep. */
const ASLEEP_AFTER = 10;

/** One training, from its start to its end or to another problem. */
interface Run {
  readonly id: number;
  readonly abort: AbortController;
  /** Resolves when the run may go on; null if it is not paused. */
  paused: { readonly since: number; readonly go: Promise<void>; readonly resume: () => void } | null;
  pausedFor: number;
}

/** What can be saved of a training. */
interface Result {
  readonly problem: Problem;
  readonly data: OwnData;
  readonly events: TrainEvent[];
  snapshot: Snapshot | null;
}

export class Host {
  readonly #options: HostOptions;
  #data: OwnData = {};
  #problem: Problem | null = null;
  #drawn: Drawn | null = null;
  #path: readonly number[] = [];
  #run: Run | null = null;
  #result: Result | null = null;
  /** Requests are handled one after the other, except those about a training that goes on. */
  #last: Promise<void> = Promise.resolve();
  /** Counts problems, so that one that is no longer wanted is not built. */
  #asked = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  receive(request: Request): void {
    switch (request.kind) {
      case "data":
        this.#data = { ...this.#data, ...request.data };
        break;
      case "show": {
        this.#end();
        this.#path = request.path;
        const asked = ++this.#asked;
        this.#queue(() => (asked === this.#asked ? this.#show(request.settings) : undefined));
        break;
      }
      case "train":
        this.#queue(() => this.#train(request.run));
        break;
      case "pause":
        this.#pause();
        break;
      case "continue":
        this.#continue();
        break;
      case "flow":
        this.#path = request.path;
        this.#queue(async () => {
          if (this.#drawn) this.#answer({ kind: "flow", flow: await this.#flow(this.#drawn) });
        });
        break;
      case "save":
        this.#queue(() => this.#save());
    }
  }

  #answer(answer: Answer): void {
    this.#options.answer(answer);
  }

  #queue(work: () => Promise<void> | undefined): void {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#answer(failure(error)));
  }

  async #show(settings: PlaygroundSettings): Promise<void> {
    this.#problem = null;
    this.#drawn = null;
    this.#result = null;
    try {
      const problem = problemOf(settings, this.#data);
      const untrained = drawn(problem, null);
      const [picture, flow] = [await untrained.picture(), await this.#flow(untrained)];
      this.#problem = problem;
      this.#drawn = untrained;
      this.#answer({ kind: "shown", problem: shownProblem(problem), picture, flow });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#answer({ kind: "refused", issues: error.issues });
    }
  }

  /** Another problem may have fewer outcomes than the path says: then the flow begins at the start. */
  async #flow(from: Drawn) {
    try {
      return await from.flow(this.#path);
    } catch (error) {
      if (!(error instanceof UserError) || this.#path.length === 0) throw error;
      this.#path = [];
      return from.flow(this.#path);
    }
  }

  /** Starts a training, and returns: it must not keep other requests waiting. */
  async #train(id: number): Promise<void> {
    this.#end();
    if (!this.#problem) return;
    this.#result = null;
    const run: Run = { id, abort: new AbortController(), paused: null, pausedFor: 0 };
    this.#run = run;
    this.#answer({ kind: "state", run: id, state: "starting" });
    void this.#follow(this.#problem, run).catch((error: unknown) => {
      if (this.#run !== run) return;
      this.#run = null;
      this.#answer({ kind: "state", run: id, state: "idle" });
      this.#answer(failure(error));
    });
  }

  async #follow(problem: Problem, run: Run): Promise<void> {
    const { now = Date.now } = this.#options;
    const engine = await this.#options.engine();
    const started = performance.now();
    const { signal } = run.abort;
    const clock = () => (performance.now() - started - run.pausedFor) / 1000;
    let losses: number[] = [];
    let evaluations: EvaluationPoint[] = [];
    let [iteration, reported, reportedIteration, pictured, listened] = [0, started, 0, started, started];
    const report = (isLast: boolean) => {
      const now = performance.now();
      if (!isLast && now - reported < PROGRESS_EVERY) return;
      const perSecond = isLast ? null : ((iteration - reportedIteration) * 1000) / (now - reported);
      this.#answer({ kind: "progress", run: run.id, iteration, perSecond, losses, evaluations });
      [losses, evaluations, reported, reportedIteration] = [[], [], now, iteration];
    };
    let waiting: Drawn | null = null;
    const draw = async (isLast: boolean) => {
      const now = performance.now();
      if (!waiting || (!isLast && now - pictured < PICTURE_EVERY)) return;
      this.#drawn = waiting;
      waiting = null;
      const [picture, flow] = [await this.#drawn.picture(), await this.#flow(this.#drawn)];
      this.#answer({ kind: "picture", run: run.id, iteration, picture, flow });
      pictured = performance.now();
    };
    const result: Result = { problem, data: this.#data, events: [], snapshot: null };
    this.#result = result;
    const heed = async (event: TrainEvent) => {
      if (event.kind === "checkpoint") result.snapshot = event.snapshot;
      else result.events.push(withoutTables(event));
      if (event.kind === "start") {
        const { policy, dynamics } = event.parameters;
        this.#answer({ kind: "started", run: run.id, engine: event.engine, parameters: policy + dynamics });
        this.#answer({ kind: "state", run: run.id, state: "training" });
      } else if (event.kind === "iteration") {
        iteration = event.iteration;
        losses.push(event.loss);
      } else if (event.kind === "evaluation" && event.exact) {
        evaluations.push(pointOf(event));
        waiting = drawn(problem, event.tables ?? null);
      }
    };
    let seen = now();
    for await (const event of trainingOf(problem, { engine, signal, clock })) {
      if (this.#run !== run) return;
      const away = (now() - seen) / 1000;
      if (away > ASLEEP_AFTER && event.kind !== "start") {
        run.pausedFor += 1000 * away;
        this.#answer({ kind: "slept", run: run.id, seconds: away });
      }
      await heed(event);
      report(false);
      await draw(false);
      if (performance.now() - listened > LISTEN_EVERY) {
        await nextTask();
        listened = performance.now();
      }
      if (run.paused) {
        report(true);
        await draw(true);
        this.#answer({ kind: "state", run: run.id, state: "paused" });
        await run.paused.go;
        if (this.#run !== run) return;
        reported = performance.now();
        reportedIteration = iteration;
        this.#answer({ kind: "state", run: run.id, state: "training" });
      }
      seen = now();
    }
    if (this.#run !== run) return;
    this.#run = null;
    report(true);
    await draw(true);
    this.#answer({ kind: "state", run: run.id, state: "finished" });
  }

  async #save(): Promise<void> {
    if (!this.#result?.snapshot) return;
    const { problem, data, events, snapshot } = this.#result;
    const trained = { evaluateEvery: evaluateEvery(problem), snapshot, events };
    const text = await resultFile(problem, data, trained);
    this.#answer({ kind: "saved", text, iteration: snapshot.iteration });
  }

  #pause(): void {
    if (!this.#run || this.#run.paused) return;
    let resume = () => {};
    const go = new Promise<void>((done) => {
      resume = done;
    });
    this.#run.paused = { since: performance.now(), go, resume };
  }

  #continue(): void {
    const run = this.#run;
    if (!run?.paused) return;
    const { since, resume } = run.paused;
    run.pausedFor += performance.now() - since;
    run.paused = null;
    resume();
  }

  /** Ends the training that goes on. */
  #end(): void {
    const run = this.#run;
    this.#run = null;
    run?.abort.abort();
    run?.paused?.resume();
  }
}

function shownProblem(problem: Problem): ShownProblem {
  const { settings, task, enumeration, limit, training } = problem;
  return {
    settings,
    label: task.label,
    environment: task.environment.name,
    objects: enumeration.terminals,
    states: enumeration.states,
    limit: limit.metrics,
    uniform: problem.metricsOf(visitation(enumeration, uniformPolicy(enumeration)).terminals),
    learnsDynamics: learnsDynamics(training),
  };
}

function failure(error: unknown): Answer {
  return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
}

/** Lets messages arrive. A timer would wait for some milliseconds, and longer in a page that is not visible. */
function nextTask(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
