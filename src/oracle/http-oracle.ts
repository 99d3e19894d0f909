// An oracle that is an HTTP service: strings are sent by POST as JSON, and answers name their strings.

import { setTimeout as sleep } from "node:timers/promises";
import { RandomStream } from "../engine/random-stream.ts";
import { shorten, show, UserError } from "../issues.ts";
import { AnswersByString, ProtocolError, parseJson, readNamedAnswer } from "./answers.ts";
import { type Attempt, askRepeatedly, checkWholeNumbers, Patience } from "./attempts.ts";
import { type DesignObjective, versionFor } from "./design-objectives.ts";
import { type Oracle, OracleError } from "./oracle.ts";
import { Slots } from "./slots.ts";

/** Options of `httpOracle`. */
export interface HttpOracleOptions {
  /** http: or https:, without a user name or password. */
  readonly url: string;
  /** Additional headers, for example with a key of the service. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Most strings of a request. Default: 64. */
  readonly batch?: number;
  /** How many requests may run at once. Default: 4. */
  readonly concurrency?: number;
  /** How many requests may start in a second. Default: any number. */
  readonly requestsPerSecond?: number;
  /** Time for one request with its complete answer, in milliseconds. Default: 60,000. */
  readonly timeLimit?: number;
  /** How often a request is repeated. Default: 4. */
  readonly retries?: number;
  /** The pause before the first repetition, in milliseconds; it doubles each time. Default: 500. */
  readonly pause?: number;
  /** Most bytes of an answer. Default: 16 MiB. */
  readonly maxBytes?: number;
  /** Seed of the random part of the pauses. Default: 0. */
  readonly seed?: number;
  /** Default: the URL. Give another one when the service changes its scores. */
  readonly version?: string;
  /** What the values of an answer are, if the service gives several. Default: one score. */
  readonly objectives?: readonly DesignObjective[];
  /** Is told at once why a request got no answers, before it is repeated. */
  readonly onProblem?: (problem: string) => void;
}

/** Statuses from 400 to 499 after which another attempt may succeed, later or with fewer strings; others are final. */
const WORTH_ANOTHER_ATTEMPT = [400, 408, 413, 422, 425, 429];
const MAX_REDIRECTS = 5;
/** Longest pause between two attempts, whatever a service asks for, in milliseconds. */
const MAX_PAUSE = 60_000;

/** An oracle from an HTTP service. */
export function httpOracle(options: HttpOracleOptions): Oracle {
  const { batch = 64, concurrency = 4, timeLimit = 60_000, retries = 4, pause = 500 } = options;
  const { maxBytes = 2 ** 24, requestsPerSecond, headers = {}, objectives, onProblem } = options;
  const url = checkUrl(options.url);
  checkWholeNumbers({
    ...{ batch: [batch, 1], concurrency: [concurrency, 1], timeLimit: [timeLimit, 1] },
    ...{ retries: [retries, 0], pause: [pause, 0], maxBytes: [maxBytes, 1] },
  });
  if (requestsPerSecond !== undefined && !(requestsPerSecond > 0)) {
    throw new UserError(`requestsPerSecond must be a positive number, got ${requestsPerSecond}`);
  }
  // The query may have a key in it, so it is not shown.
  const label = `${url.origin}${url.pathname}`;
  const slots = new Slots(concurrency, requestsPerSecond);
  const jitter = RandomStream.fromSeed(options.seed ?? 0).split("http-oracle");
  const closing = new AbortController();
  const patience = new Patience(label);

  async function ask(strings: readonly string[], signal: AbortSignal): Promise<Attempt & { wait: number }> {
    const limit = AbortSignal.timeout(timeLimit);
    const collected = new AnswersByString(strings);
    const failed = (problem: string, wait = 0) => ({ answers: new Map(), problem, wait });
    try {
      const response = await post(url, strings, AbortSignal.any([signal, limit]));
      if (!response.ok) {
        const text = shorten((await readText(response, 2 ** 16)).trim().split("\n")[0]);
        const problem = `${label} answered with status ${response.status}${text === "" ? "" : ` and ${show(text)}`}`;
        const isFinal = response.status < 500 && !WORTH_ANOTHER_ATTEMPT.includes(response.status);
        if (isFinal) throw new OracleError(problem);
        return failed(problem, retryAfter(response));
      }
      const body = parseJson(await readText(response, maxBytes));
      const { answers } = (body ?? {}) as { readonly answers?: unknown };
      if (!Array.isArray(answers)) {
        throw new ProtocolError(`an answer must be { "answers": [ … ] }, got ${show(body)}`);
      }
      for (const answer of answers) collected.add(readNamedAnswer(answer, objectives));
      const missing = strings.length - collected.answers.size;
      const problem =
        missing === 0 ? null : `${label} answered for ${collected.answers.size} of ${strings.length} strings`;
      return { answers: collected.answers, problem, wait: 0 };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OracleError) throw error;
      if (limit.aborted) {
        return {
          ...failed(`${label} gave no complete answer within ${timeLimit / 1000} s`),
          wasSilent: true,
        };
      }
      if (error instanceof ProtocolError) return failed(`${label}: ${error.message}`);
      return failed(`${label} cannot be reached: ${reasonOf(error)}`);
    }
  }

  /** Sends a batch, and follows redirects within the same host only. */
  async function post(target: URL, strings: readonly string[], signal: AbortSignal): Promise<Response> {
    let current = target;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await fetch(current, {
        method: "POST",
        headers: { accept: "application/json", ...headers, "content-type": "application/json" },
        body: JSON.stringify({ strings }),
        redirect: "manual",
        signal,
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      await response.body?.cancel();
      const next = new URL(location, current);
      if (next.host !== target.host || (target.protocol === "https:" && next.protocol !== "https:")) {
        throw new OracleError(
          `${label} redirects to ${shorten(next.origin)}, which is refused; if you trust that address, give it as the URL`,
        );
      }
      if (response.status === 303) {
        throw new OracleError(`${label} redirects with status 303, which does not keep POST; use 307 or 308`);
      }
      current = next;
    }
    throw new OracleError(`${label} redirects more than ${MAX_REDIRECTS} times`);
  }

  return {
    label,
    version: versionFor(objectives, options.version ?? url.href),
    batch,
    concurrency,
    async score(strings, signal) {
      const stop = AbortSignal.any(signal ? [signal, closing.signal] : [closing.signal]);
      stop.throwIfAborted();
      let wait = 0;
      return askRepeatedly(
        strings,
        async (some) => {
          const attempt = await slots.run(() => ask(some, stop), stop);
          wait = attempt.wait;
          return attempt;
        },
        {
          ...{ retries, onProblem, patience },
          // Between half and the whole of the pause, so that several requests do not return at the same moment.
          pause: async (attempt) => {
            const longest = pause * 2 ** (attempt - 1) * (0.5 + 0.5 * jitter.uniform());
            await sleep(Math.min(Math.max(longest, wait), MAX_PAUSE), undefined, { signal: stop });
          },
        },
      );
    },
    async close() {
      closing.abort(new OracleError(`${label} was closed`));
    },
  };
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UserError(`the URL of an oracle must begin with http:// or https://, got ${show(text)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UserError(`the URL of ${url.host} must have no user name or password; give them as a header`);
  }
  return url;
}

/** The pause that the service asks for, in milliseconds. */
function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? "0");
  return seconds > 0 ? seconds * 1000 : 0;
}

/** The body as text. Throws if it is larger than `most` bytes. */
async function readText(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the rest of the answer.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) throw new ProtocolError(`an answer must have at most ${most} bytes, got more`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The reason of a failed request. The error of `fetch` only says that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const inner = cause as (Error & { readonly code?: string }) | undefined;
  return (inner?.message || inner?.code || message).split("\n")[0];
}
