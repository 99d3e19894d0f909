// An oracle that is a JavaScript or TypeScript module with a score function. It runs in a thread of its own, so that a time
// limit or an interruption ends it whatever it does.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileProblem, shortLine, UserError } from "../issues.ts";
import { askRepeatedly, checkWholeNumbers, Patience } from "./attempts.ts";
import { type DesignObjective, versionFor } from "./design-objectives.ts";
import { hashOf } from "./function-oracle.ts";
import { OracleThread } from "./module-thread.ts";
import type { ModuleExports } from "./module-worker.ts";
import { type Oracle, OracleError } from "./oracle.ts";

/** Options of `moduleOracle`. */
export interface ModuleOracleOptions {
  /** Path of a module that exports `score` or `scores`, and perhaps `version`, `batch` and `concurrency`. */
  readonly file: string;
  /** Default: the module's `version`, or a hash of the file, which does not notice changes of what it imports. */
  readonly version?: string;
  readonly batch?: number;
  readonly concurrency?: number;
  /** Longest wait for the next answer, in milliseconds. Default: 60,000. */
  readonly timeLimit?: number;
  /** Longest time until the module is loaded, in milliseconds. Default: 60,000, or the time limit if that is longer. */
  readonly loadLimit?: number;
  /** What the members of an answer are, if the module gives several values. Default: one score. */
  readonly objectives?: readonly DesignObjective[];
  /** Is told at once why a batch got no answers, before its strings are asked again. */
  readonly onProblem?: (problem: string) => void;
  /** Ends the loading. */
  readonly signal?: AbortSignal;
}

/** Loads a module in a thread of its own, and thereby runs it. Throws a UserError if it cannot be loaded or exports no score
 * function. */
export async function moduleOracle(options: ModuleOracleOptions): Promise<Oracle> {
  const { objectives, onProblem, timeLimit = 60_000 } = options;
  const { loadLimit = Math.max(timeLimit, 60_000) } = options;
  const label = `the module ${options.file}`;
  const path = resolve(options.file);
  checkWholeNumbers({ timeLimit: [timeLimit, 1], loadLimit: [loadLimit, 1] });
  const source = await readFile(path).catch((cause: unknown) => {
    throw new UserError(`${path} cannot be read: ${fileProblem(cause)}`, { cause });
  });

  async function open(signal?: AbortSignal): Promise<{ thread: OracleThread; exported: ModuleExports }> {
    const thread = new OracleThread(path, objectives);
    const loaded = await thread.loaded(loadLimit, signal);
    if (!("message" in loaded)) return { thread, exported: loaded };
    const { message, code } = loaded;
    const isTypeScript = code === "ERR_UNKNOWN_FILE_EXTENSION";
    const remedy = isTypeScript ? "; this version of Node reads JavaScript only, so compile the file" : "";
    throw new UserError(`${path} cannot be loaded: ${shortLine(message.split("\n")[0])}${remedy}`);
  }

  const first = await open(options.signal);
  const { exported } = first;
  const batch = (options.batch ?? exported.batch ?? 128) as number;
  const concurrency = (options.concurrency ?? exported.concurrency ?? 1) as number;
  try {
    if (exported.functions.length !== 1) {
      const got = exported.names.join(", ") || "nothing";
      throw new UserError(`${path} must export one function, \`score\` or \`scores\`, got ${got}`);
    }
    checkWholeNumbers({ batch: [batch, 1], concurrency: [concurrency, 1] });
  } catch (error) {
    await first.thread.end();
    throw error;
  }

  let current: Promise<OracleThread> | null = Promise.resolve(first.thread);
  let isClosed = false;
  const closing = new AbortController();
  /** The thread, or a new one if it has ended. */
  async function thread(): Promise<OracleThread> {
    const before = current;
    const given = await before?.catch(() => null);
    if (given && !given.hasEnded) return given;
    if (current === before) current = open(closing.signal).then((opened) => opened.thread);
    return current as Promise<OracleThread>;
  }

  async function ask(strings: readonly string[], signal: AbortSignal | undefined) {
    for (;;) {
      if (isClosed) throw new OracleError(`${label} was closed`);
      signal?.throwIfAborted();
      const attempt = await (await thread()).score(strings, timeLimit, signal);
      if (attempt !== "interrupted") return attempt;
    }
  }

  const patience = new Patience(label);
  return {
    label,
    version: versionFor(objectives, options.version ?? exported.version ?? hashOf(source)),
    batch,
    concurrency,
    score: (strings, signal) =>
      askRepeatedly(strings, (some) => ask(some, signal), { retries: 0, onProblem, patience }),
    async close() {
      isClosed = true;
      closing.abort(new OracleError(`${label} was closed`));
      await (await current?.catch(() => null))?.end();
    },
  };
}
