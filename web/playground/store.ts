// The state of the playground's page: settings, which the address holds, and what the worker has answered.

import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Issue } from "../../src/issues.ts";
import type { Answer, EvaluationPoint, ShownProblem, TrainingState } from "../../src/playground/messages.ts";
import type { OwnData, OwnPicture } from "../../src/playground/own-data.ts";
import type { Picture } from "../../src/playground/picture.ts";
import {
  type PlaygroundSettings,
  type ProblemName,
  queryOf,
  settingsFor,
  settingsOf,
} from "../../src/playground/settings.ts";
import type { FlowView } from "../../src/views/view-data.ts";
import { saveText } from "../download.ts";
import { address } from "./address.ts";
import type { EngineFile } from "./engine-file.ts";
import { keepFiles } from "./offline.ts";
import { hashOf, page } from "./pages.ts";
import type { WorkerRequest } from "./worker-messages.ts";

/** The curves of one training. */
export interface Curves {
  readonly settings: PlaygroundSettings;
  /** The loss of each iteration. */
  readonly losses: readonly number[];
  readonly evaluations: readonly EvaluationPoint[];
}

export interface Progress {
  readonly iteration: number;
  readonly perSecond: number | null;
}

export type EngineState =
  | { readonly state: "waiting" }
  | { readonly state: "loading"; readonly share: number }
  /** `isOffline`: whether the page also works without a network. */
  | { readonly state: "ready"; readonly isOffline: boolean }
  | { readonly state: "missing"; readonly problem: string };

export interface Playground {
  readonly settings: ReadonlySignal<PlaygroundSettings>;
  /** What is wrong with the settings, or with the address that they came from. */
  readonly issues: ReadonlySignal<readonly Issue[]>;
  readonly problem: ReadonlySignal<ShownProblem | null>;
  readonly drawn: ReadonlySignal<{ readonly iteration: number; readonly picture: Picture } | null>;
  readonly flow: ReadonlySignal<FlowView | null>;
  readonly state: ReadonlySignal<TrainingState>;
  readonly progress: ReadonlySignal<Progress>;
  readonly curves: ReadonlySignal<Curves | null>;
  /** Trainings before this one, the last one first. */
  readonly earlier: ReadonlySignal<readonly Curves[]>;
  readonly engine: ReadonlySignal<EngineState>;
  /** Name of the engine that the training has, and the number of its parameters. */
  readonly started: ReadonlySignal<{ readonly engine: string; readonly parameters: number } | null>;
  readonly failure: ReadonlySignal<string | null>;
  /** Seconds for which the browser has put the page to sleep during this training; null if it has not. */
  readonly slept: ReadonlySignal<number | null>;
  readonly wasDiscarded: ReadonlySignal<boolean>;
  /** Steps of the tour that have been seen. */
  readonly seen: Signal<ReadonlySet<number>>;
  /** The visitor's own table and picture; null for the examples. */
  readonly table: ReadonlySignal<NonNullable<OwnData["table"]> | null>;
  readonly picture: ReadonlySignal<OwnPicture | null>;
  setTable(table: OwnData["table"] | null): void;
  setPicture(picture: OwnPicture | null): void;
  /** Changes settings. A training that goes on starts anew. */
  change(change: Partial<PlaygroundSettings>): void;
  /** Sets all settings. A training that goes on ends. */
  open(settings: PlaygroundSettings): void;
  choose(problem: ProblemName): void;
  train(): void;
  /** Downloads the result of the training. */
  save(): void;
  pause(): void;
  continue(): void;
  openFlow(path: readonly number[]): void;
  forgetEarlier(): void;
}

export interface PlaygroundParts {
  readonly worker: () => Worker;
  readonly loadEngine: (onProgress: (share: number) => void) => Promise<EngineFile>;
}

/** Trainings that the curves keep, and the evaluations that make one worth keeping. */
const [MOST_EARLIER, LEAST_EVALUATIONS] = [3, 4];
/** Milliseconds without another change, after which a training starts anew. */
const SETTLED_AFTER = 400;

export function createPlayground({ worker: startWorker, loadEngine }: PlaygroundParts): Playground {
  const opened = settingsOf(address().read().split("?")[1] ?? "");
  const settings = signal(opened.settings);
  const issues = signal(opened.issues);
  const problem = signal<ShownProblem | null>(null);
  const drawn = signal<{ readonly iteration: number; readonly picture: Picture } | null>(null);
  const flow = signal<FlowView | null>(null);
  const state = signal<TrainingState>("idle");
  const progress = signal<Progress>({ iteration: 0, perSecond: null });
  const curves = signal<Curves | null>(null);
  const earlier = signal<readonly Curves[]>([]);
  const engine = signal<EngineState>({ state: "waiting" });
  const started = signal<{ readonly engine: string; readonly parameters: number } | null>(null);
  const failure = signal<string | null>(null);
  const slept = signal<number | null>(null);
  const wasDiscarded = signal((document as { readonly wasDiscarded?: boolean }).wasDiscarded === true);
  const seen = signal<ReadonlySet<number>>(new Set());
  const table = signal<NonNullable<OwnData["table"]> | null>(null);
  const picture = signal<OwnPicture | null>(null);
  let path: readonly number[] = [];
  /** Number of the last training, or of the last problem that ended one. */
  let run = 0;
  /** Whether a training begins when the changed problem is shown and no other change follows. */
  let goesOn = false;
  let settled: ReturnType<typeof setTimeout> | undefined;

  const worker = startWorker();
  const send = (request: WorkerRequest, transfer: Transferable[] = []) =>
    worker.postMessage(request, transfer);
  worker.onmessage = ({ data }: MessageEvent<Answer>) => batch(() => take(data));
  worker.onerror = ({ message }) => {
    failure.value = `The worker of this page has failed${message ? `: ${message}` : ""}; load the page again.`;
  };

  function take(answer: Answer): void {
    if ("run" in answer && answer.run !== run) return;
    switch (answer.kind) {
      case "shown":
        problem.value = answer.problem;
        drawn.value = { iteration: 0, picture: answer.picture };
        flow.value = answer.flow;
        if (engine.peek().state === "waiting") requestAnimationFrame(() => void fetchEngine());
        break;
      case "refused":
        issues.value = answer.issues;
        problem.value = null;
        goesOn = false;
        break;
      case "state":
        state.value = answer.state;
        break;
      case "started":
        started.value = { engine: answer.engine, parameters: answer.parameters };
        break;
      case "progress": {
        const { iteration, perSecond, losses, evaluations } = answer;
        progress.value = { iteration, perSecond: perSecond ?? progress.peek().perSecond };
        const before = curves.peek() ?? { settings: settings.peek(), losses: [], evaluations: [] };
        curves.value = {
          ...before,
          losses: [...before.losses, ...losses],
          evaluations: [...before.evaluations, ...evaluations],
        };
        break;
      }
      case "picture":
        drawn.value = answer;
        flow.value = answer.flow;
        break;
      case "flow":
        flow.value = answer.flow;
        break;
      case "saved":
        saveText(
          `playground-${settings.peek().problem}-${answer.iteration}.json`,
          "application/json",
          answer.text,
        );
        break;
      case "slept":
        slept.value = (slept.peek() ?? 0) + answer.seconds;
        break;
      case "failed":
        failure.value = answer.message;
    }
  }

  async function fetchEngine(): Promise<void> {
    engine.value = { state: "loading", share: 0 };
    const file = await loadEngine((share) => {
      engine.value = { state: "loading", share };
    });
    if (file.bytes) {
      send({ kind: "engine", bytes: file.bytes, hasSimd: true }, [file.bytes]);
      engine.value = { state: "ready", isOffline: false };
      if (file.isKept && (await keepFiles())) engine.value = { state: "ready", isOffline: true };
    } else {
      send({ kind: "engine", bytes: null, hasSimd: file.hasSimd });
      engine.value = { state: "missing", problem: file.problem };
    }
  }

  function show(): void {
    keepCurves();
    failure.value = null;
    run++;
    send({ kind: "show", settings: settings.peek(), path });
  }

  /** Puts the curves of the training that ends beside those of the next one. */
  function keepCurves(): void {
    const last = curves.peek();
    curves.value = null;
    progress.value = { iteration: 0, perSecond: null };
    if (last && last.evaluations.length >= LEAST_EVALUATIONS) {
      earlier.value = [last, ...earlier.peek()].slice(0, MOST_EARLIER);
    }
  }

  function train(): void {
    clearTimeout(settled);
    keepCurves();
    failure.value = null;
    slept.value = null;
    wasDiscarded.value = false;
    state.value = "starting";
    send({ kind: "train", run: ++run });
  }

  function setTo(next: PlaygroundSettings): void {
    const runs = state.peek() === "training" || state.peek() === "starting";
    batch(() => {
      if (next.problem !== settings.peek().problem) {
        path = [];
        earlier.value = [];
      }
      goesOn ||= runs;
      settings.value = next;
      issues.value = [];
      state.value = "idle";
      address().replace(hashOf(page.peek(), queryOf(next)));
      show();
    });
    clearTimeout(settled);
    settled = setTimeout(() => {
      const again = goesOn;
      goesOn = false;
      if (again) train();
    }, SETTLED_AFTER);
  }

  /** Other data are another problem, so curves on the earlier ones say nothing about it. */
  function setData(data: OwnData): void {
    send({ kind: "data", data });
    setTo(settings.peek());
    earlier.value = [];
  }

  /** Sets everything, and trains nothing. */
  function open(next: PlaygroundSettings): void {
    goesOn = false;
    state.value = "idle";
    setTo(next);
  }

  address().listen(() => {
    const next = settingsOf(address().read().split("?")[1] ?? "");
    if (queryOf(next.settings) === queryOf(settings.peek())) return;
    open(next.settings);
    issues.value = next.issues;
  });
  show();

  return {
    ...{
      settings,
      issues,
      problem,
      drawn,
      flow,
      table,
      picture,
      state,
      progress,
      curves,
      earlier,
      engine,
      started,
      failure,
      slept,
      wasDiscarded,
      seen,
    },
    open,
    change: (change) => setTo({ ...settings.peek(), ...change }),
    choose: (name) => setTo({ ...settingsFor(name), stick: settings.peek().stick }),
    setTable(next) {
      table.value = next ?? null;
      setData({ table: next ?? undefined });
    },
    setPicture(next) {
      picture.value = next;
      setData({ picture: next ?? undefined });
    },
    train,
    save: () => send({ kind: "save" }),
    pause: () => send({ kind: "pause" }),
    continue: () => send({ kind: "continue" }),
    openFlow(next) {
      path = next;
      send({ kind: "flow", path });
    },
    forgetEarlier() {
      earlier.value = [];
    },
  };
}

const PlaygroundContext = createContext<Playground | null>(null);
export const PlaygroundProvider = PlaygroundContext.Provider;

/** The playground that the component is part of. */
export function usePlayground(): Playground {
  const playground = useContext(PlaygroundContext);
  if (playground === null)
    throw new Error("usePlayground: the component must be inside a PlaygroundProvider");
  return playground;
}
