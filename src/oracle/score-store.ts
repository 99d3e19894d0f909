// The scores of an oracle on disk: a cache, a budget of calls, and a policy for failures.
//
// A string is written to the journal before it is sent, and its score is on disk before anybody gets it. So the journal
// is the only truth about scores and calls, whenever the process ends. Strings that were in flight at that moment have no
// answer in the journal: they are sent, and counted, again.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { acquireLock, type Lock } from "../disk/lock.ts";
import { withDiskErrors } from "../disk/run-error.ts";
import { show, UserError } from "../issues.ts";
import { checkedAnswer, failureOf } from "./answers.ts";
import { checkWholeNumbers } from "./attempts.ts";
import { BatchQueue, type Request } from "./batch-queue.ts";
import { type Answer, DeadOracleError, type Oracle, OracleError } from "./oracle.ts";
import { type JournalAnswer, type JournalLine, ScoreJournal } from "./score-journal.ts";

/** Files of a score store in its folder. */
export const SCORE_FILES = { journal: "scores.jsonl", lock: "scores.lock" } as const;

/** Names of the policies for failures. */
export const FAILURE_POLICIES = ["stop", "skip", "floor"] as const;
/**
 * What happens if a string gets no score: `stop` throws, `skip` leaves the string out, and `floor` lets it count as the
 * lowest reward. With `skip` and `floor`, a string that has failed is not sent again.
 */
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** What became of a string. */
export type Scored =
  | ({ readonly status: "scored" } & Extract<Answer, { readonly score: number }>)
  /** It failed, and the policy is to leave it out (`skip`) or to let it count as the lowest reward (`floor`). */
  | { readonly status: "skip" | "floor"; readonly failure: string }
  /** It was not sent. */
  | { readonly status: "unscored"; readonly reason: string };

/** Options of `openScoreStore`. */
export interface ScoreStoreOptions {
  /** Is created if it does not exist. One process at a time may use it. */
  readonly folder: string;
  readonly oracle: Oracle;
  /** Most strings that may be sent, those of earlier processes included. Default: any number. */
  readonly budget?: number;
  /** Default: stop. */
  readonly onFailure?: FailurePolicy;
  /** Whether strings that failed earlier may be sent again. Default: false. */
  readonly forgetFailures?: boolean;
  /** Time for a batch, in milliseconds, besides the limits of the oracle itself. Default: any time. */
  readonly timeLimit?: number;
  /** How often a batch is asked again if the oracle fails as a whole; costs no calls. Default: 0. */
  readonly retries?: number;
}

type CompleteOptions = Required<Omit<ScoreStoreOptions, "timeLimit">> & Pick<ScoreStoreOptions, "timeLimit">;

/** One call of `score`, which waits for several strings: one promise instead of one for each string. */
interface Call {
  open: number;
  error: unknown;
  readonly finish: () => void;
}

interface Waiting extends Request {
  readonly calls: Call[];
}

/** What a journal says. */
interface Content {
  readonly known: Map<string, Answer>;
  readonly told: Set<string>;
  readonly tellings: number;
  readonly calls: number;
}

/** Opens the scores in a folder, or creates them. The caller must close the store; it does not close the oracle. */
export async function openScoreStore(options: ScoreStoreOptions): Promise<ScoreStore> {
  return ScoreStore.open(options);
}

/** Scores of one oracle, on disk. */
export class ScoreStore {
  readonly #options: CompleteOptions;
  readonly #lock: Lock;
  readonly #queue: BatchQueue<Waiting>;
  readonly #known: Map<string, Answer>;
  readonly #told: Set<string>;
  readonly #waiting = new Map<string, Waiting>();
  /** Batches in flight, and answers that are not on disk yet. */
  readonly #pending = new Set<Promise<unknown>>();
  readonly #journal: ScoreJournal;
  #tellings: number;
  #calls: number;
  /** Calls, and strings in the queue that will become calls. */
  #reserved: number;
  #failure: unknown;

  private constructor(
    options: CompleteOptions,
    lock: Lock,
    journal: ScoreJournal,
    { known, told, tellings, calls }: Content,
  ) {
    this.#options = options;
    this.#lock = lock;
    this.#journal = journal;
    this.#known = known;
    this.#told = told;
    this.#tellings = tellings;
    this.#calls = calls;
    this.#reserved = calls;
    const { concurrency, prefersLargeBatches } = options.oracle;
    const batch = () => options.oracle.batch; // an oracle may change it
    const send = async (some: readonly Waiting[], signal: AbortSignal) => {
      const { finished } = await this.#track(this.#send(some, signal));
      if (finished) void this.#track(finished);
    };
    this.#queue = new BatchQueue({ batch, concurrency, prefersLargeBatches, send });
  }

  /** See `openScoreStore`. */
  static async open(given: ScoreStoreOptions): Promise<ScoreStore> {
    const defaults = {
      budget: Number.POSITIVE_INFINITY,
      onFailure: "stop",
      forgetFailures: false,
      retries: 0,
    };
    const options = { ...defaults, ...given } as CompleteOptions;
    checkOptions(options);
    const { folder, oracle } = options;
    const forgets = options.forgetFailures || options.onFailure === "stop";
    await withDiskErrors("written", folder, () => mkdir(folder, { recursive: true }));
    const lock = await acquireLock(folder, SCORE_FILES.lock);
    try {
      const content = { known: new Map<string, Answer>(), told: new Set<string>(), tellings: 0, calls: 0 };
      let version: string | null = null;
      const journal = await ScoreJournal.open(join(folder, SCORE_FILES.journal), (line) => {
        if ("oracle" in line) version = line.oracle;
        else if ("sent" in line) content.calls += line.sent.length;
        else if ("told" in line || version === oracle.version) remember(content.known, line, forgets);
        if (!("told" in line)) return;
        content.tellings += line.told.length;
        for (const { string } of line.told) content.told.add(string);
      });
      if (version !== oracle.version) journal.append({ oracle: oracle.version, label: oracle.label });
      return new ScoreStore(options, lock, journal, content);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** How many strings were sent to an oracle, by this process and earlier ones. */
  get calls(): number {
    return this.#calls;
  }

  /** How many strings may still be sent. */
  get remaining(): number {
    return Math.max(0, this.#options.budget - this.#reserved);
  }

  /** Strings whose scores were added by `tell`. */
  get told(): ReadonlySet<string> {
    return this.#told;
  }

  /** How many scores were added by `tell`, later ones for the same string included. */
  get tellings(): number {
    return this.#tellings;
  }

  /** The answer for a string if it is known. */
  get(string: string): Answer | undefined {
    return this.#known.get(string);
  }

  /** All strings with a score, sorted, so that sums over them do not depend on the order in which answers arrived. */
  scored(): ({ readonly string: string } & Extract<Answer, { readonly score: number }>)[] {
    return [...this.#known]
      .flatMap(([string, answer]) => ("score" in answer ? [{ string, ...answer }] : []))
      .sort((a, b) => (a.string < b.string ? -1 : 1));
  }

  /** All strings that failed, and why, sorted. */
  failed(): { readonly string: string; readonly failure: string }[] {
    return [...this.#known]
      .flatMap(([string, answer]) => ("failure" in answer ? [{ string, ...answer }] : []))
      .sort((a, b) => (a.string < b.string ? -1 : 1));
  }

  /**
   * What became of each string, in the same order. Known strings cost nothing; the others are sent as long as the budget
   * lasts. With the policy `stop`, throws an OracleError if a string gets no score; all answers that arrived are kept.
   */
  async score(strings: readonly string[], signal?: AbortSignal): Promise<Scored[]> {
    if (this.#failure) throw this.#failure;
    signal?.throwIfAborted();
    const mine: Waiting[] = [];
    const added: Waiting[] = [];
    let finish: () => void = () => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const call: Call = { open: 0, error: null, finish };
    for (const string of strings) {
      if (this.#known.has(string)) continue;
      const waiting = this.#waiting.get(string);
      if (waiting?.calls.at(-1) === call) continue; // the same string again
      if (waiting) {
        waiting.waiters++;
        waiting.calls.push(call);
        mine.push(waiting);
      } else if (this.remaining > 0) {
        this.#reserved++;
        const request = { string, waiters: 1, abandon: null, calls: [call] };
        this.#waiting.set(string, request);
        added.push(request);
        mine.push(request);
      }
    }
    call.open = mine.length;
    if (call.open === 0) return strings.map((string) => this.#outcome(string));
    const abandon = () => this.#abandon(mine, signal?.reason);
    signal?.addEventListener("abort", abandon, { once: true });
    this.#queue.add(added);
    try {
      // Waits for all, also after a failure, so that every answer that was paid for is on disk before this throws.
      await done;
      signal?.throwIfAborted();
      if (call.error !== null) throw call.error;
    } finally {
      signal?.removeEventListener("abort", abandon);
    }
    return strings.map((string) => this.#outcome(string));
  }

  /** Adds scores that did not come from the oracle, such as measurements. They replace earlier ones and cost no calls. */
  async tell(
    scores: readonly ({ readonly string: string } & Extract<Answer, { readonly score: number }>)[],
  ): Promise<void> {
    if (this.#failure) throw this.#failure;
    const told = scores.map(({ string, score, uncertainty, values }) => {
      const answer = checkedAnswer({ score, uncertainty, values });
      if ("failure" in answer) throw new UserError(`${show(string)} cannot be added: ${answer.failure}`);
      return { string, ...answer };
    });
    await this.#write({ told });
    this.#tellings += told.length;
    for (const { string, ...answer } of told) {
      this.#known.set(string, answer);
      this.#told.add(string);
    }
  }

  /** Waits for batches in flight, and makes the folder available to other processes. */
  async close(): Promise<void> {
    this.#failure ??= new Error("the score store is closed");
    for (const request of this.#queue.remove(() => true)) this.#giveUp(request, this.#failure);
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    try {
      await this.#journal.close();
    } finally {
      await this.#lock.release();
    }
  }

  #outcome(string: string): Scored {
    const { budget, onFailure } = this.#options;
    const answer = this.#known.get(string);
    if (answer === undefined) {
      return { status: "unscored", reason: `the budget of ${budget} calls is used up` };
    }
    if ("score" in answer) return { status: "scored", ...answer };
    if (onFailure === "stop") throw this.#stopped(string, answer.failure);
    return { status: onFailure, failure: answer.failure };
  }

  /** Lets `close` wait for a promise, which never rejects. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
    return work;
  }

  /** Sends one batch. Resolves when the answers are written; the callers get them when they are on disk, at `finished`. */
  async #send(
    requests: readonly Waiting[],
    signal: AbortSignal,
  ): Promise<{ readonly finished: Promise<void> | null }> {
    const strings = requests.map(({ string }) => string);
    try {
      this.#journal.append({ sent: strings });
    } catch (error) {
      this.#fail(error, requests);
      return { finished: null };
    }
    this.#calls += strings.length;
    let answers: readonly Answer[];
    try {
      answers = await this.#ask(strings, signal);
    } catch (error) {
      for (const request of requests) this.#settle(request, error);
      return { finished: null };
    }
    const stop = this.#options.onFailure === "stop";
    const finish = async () => {
      const kept: JournalAnswer[] = [];
      for (const [i, string] of strings.entries()) {
        // With the policy `stop`, a string that failed is forgotten, so that the next run asks for it again.
        if (!(stop && "failure" in answers[i])) kept.push({ string, ...answers[i] });
      }
      try {
        if (kept.length > 0) await this.#write({ answers: kept });
      } catch (error) {
        return this.#fail(error, requests);
      }
      for (const [i, request] of requests.entries()) {
        const answer = answers[i];
        const isFatal = stop && "failure" in answer;
        if (!isFatal) this.#known.set(request.string, answer);
        this.#settle(request, isFatal ? this.#stopped(request.string, answer.failure) : null);
      }
    };
    // The worker is free while the disk works. `finish` writes the answers before its first await.
    return { finished: finish() };
  }

  /** Answers of the oracle, each checked; failures for all strings if the oracle fails as a whole. */
  async #ask(strings: readonly string[], signal: AbortSignal): Promise<readonly Answer[]> {
    const { oracle, retries, timeLimit } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        const answers = await withTimeLimit(timeLimit, signal, (limited) => oracle.score(strings, limited));
        if (answers.length !== strings.length) {
          throw new OracleError(`it gave ${answers.length} answers for ${strings.length} strings`);
        }
        return answers.map(checkedAnswer);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof DeadOracleError) throw error;
        if (attempt >= retries) return strings.map(() => failureOf(error));
      }
    }
  }

  async #write(line: JournalLine): Promise<void> {
    this.#journal.append(line);
    await this.#journal.sync();
  }

  #stopped(string: string, failure: string): OracleError {
    return new OracleError(`${this.#options.oracle.label} gave no score for ${show(string)}: ${failure}`);
  }

  /** The caller of these requests no longer waits. */
  #abandon(requests: readonly Waiting[], reason: unknown): void {
    for (const request of requests) request.waiters--;
    for (const request of this.#queue.remove(({ waiters }) => waiters === 0)) this.#giveUp(request, reason);
    for (const request of requests) {
      request.abandon?.();
      // Its batch may be interrupted, so whoever asks for this string now needs another request.
      if (request.waiters === 0) this.#forget(request);
    }
  }

  /** Ends a request that was sent. A failure that stops the run ends the requests that were not sent, too. */
  #settle(request: Waiting, error: unknown): void {
    this.#end(request, error);
    if (!(error instanceof OracleError)) return;
    for (const queued of this.#queue.remove(() => true)) this.#giveUp(queued, error);
  }

  /** Ends a request that was never sent, so it costs nothing. */
  #giveUp(request: Waiting, error: unknown): void {
    this.#reserved--;
    this.#end(request, error);
  }

  /** Tells all who wait for a string what became of it. */
  #end(request: Waiting, error: unknown): void {
    this.#forget(request);
    for (const call of request.calls) {
      call.error ??= error;
      if (--call.open === 0) call.finish();
    }
  }

  #forget(request: Waiting): void {
    if (this.#waiting.get(request.string) === request) this.#waiting.delete(request.string);
  }

  /** The disk failed: nothing more can be scored. */
  #fail(error: unknown, requests: readonly Waiting[]): void {
    this.#failure ??= error;
    for (const request of requests) this.#settle(request, error);
    for (const request of this.#queue.remove(() => true)) this.#giveUp(request, error);
  }
}

function remember(known: Map<string, Answer>, line: JournalLine, forgetFailures: boolean): void {
  const answers = "answers" in line ? line.answers : "told" in line ? line.told : [];
  for (const { string, ...answer } of answers) {
    if (forgetFailures && "failure" in answer) known.delete(string);
    else known.set(string, "failure" in answer ? failureOf(answer.failure) : answer);
  }
}

/** Interrupts an action after a time. The action may go on by itself if it ignores the signal. */
async function withTimeLimit<T>(
  milliseconds: number | undefined,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (milliseconds === undefined) return action(signal);
  const limit = AbortSignal.timeout(milliseconds);
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener("abort", () =>
      reject(new OracleError(`it gave no answer within ${milliseconds / 1000} s`)),
    );
  });
  late.catch(() => {});
  return Promise.race([action(AbortSignal.any([signal, limit])), late]);
}

function checkOptions({ budget, retries, timeLimit = 1, onFailure }: CompleteOptions): void {
  checkWholeNumbers({
    ...(budget !== Number.POSITIVE_INFINITY && { budget: [budget, 0] as const }),
    retries: [retries, 0],
    timeLimit: [timeLimit, 1],
  });
  if (!FAILURE_POLICIES.includes(onFailure)) {
    throw new UserError(`onFailure must be one of ${FAILURE_POLICIES.join(", ")}, got ${show(onFailure)}`);
  }
}
