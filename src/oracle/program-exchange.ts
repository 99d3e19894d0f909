// Sends one batch to a process and reads its answers, within a time limit.

import { quantileOfSorted } from "../math/statistics.ts";
import { ProtocolError } from "./answers.ts";
import type { Attempt } from "./attempts.ts";
import type { ChildProgram } from "./child-program.ts";
import type { DesignObjective } from "./design-objectives.ts";
import { batchReader, type ProgramProtocol } from "./program-protocols.ts";

/** Plain lines carry no strings, so a line too many shows only if one more line arrives. After the last line the process
 * must be silent for this many times the longest pause between its lines, and at least and at most so long. A busy machine
 * may stop a process between two lines for tens of milliseconds, so a process must be silent longer until it has proved
 * that it prints one line per string. Once it has, the longest twentieth of its pauses does not count: they are moments in
 * which the machine was busy, and waiting as long again after every batch would cost more than all else. */
const SILENCE = { times: 1.25, least: 0.25, leastUnproved: 100, most: 1000, provedLevel: 0.95 };

/** Timers count milliseconds, so silences up to this one, in milliseconds, are awaited by turns of the event loop, each of
 * which reads what has arrived. */
const LONGEST_SPIN = 2;

export interface ExchangeOptions {
  readonly protocol: ProgramProtocol;
  /** Longest wait for the next answer, in milliseconds. */
  readonly timeLimit: number;
  /** Whether this process has answered plain lines before, and no process of the program has ever printed other ones. */
  readonly isProved?: boolean;
  readonly objectives?: readonly DesignObjective[];
  readonly signal?: AbortSignal;
}

/** An attempt, and whether the program broke the protocol instead of crashing or being too slow. */
export interface Exchange extends Attempt {
  readonly brokeProtocol: boolean;
}

/** Ends the process if it breaks the protocol, is silent for too long, or if the signal aborts. */
export async function exchange(
  program: ChildProgram,
  strings: readonly string[],
  { protocol, timeLimit, isProved = false, objectives, signal }: ExchangeOptions,
): Promise<Exchange> {
  const reader = batchReader(protocol, strings, objectives);
  const leastSilence = isProved ? SILENCE.least : SILENCE.leastUnproved;
  let brokeProtocol = false;
  const problem = await new Promise<string | null>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let lines = 0;
    let last = performance.now();
    const pauses: number[] = [];
    let isFinished = false;

    const finish = (result: string | null) => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      timer = undefined;
      signal?.removeEventListener("abort", abort);
      program.listen(null);
      resolve(result);
    };
    const abort = () => finish("it was interrupted");
    /** Calls back after a short silence, accurately. */
    const afterShortSilence = (milliseconds: number, callback: () => void) => {
      const turn = () => {
        if (isFinished) return;
        if (performance.now() - last < milliseconds) setImmediate(turn);
        else callback();
      };
      clearTimeout(timer);
      // Two turns at least, so that the event loop has read once after the last line.
      setImmediate(() => setImmediate(turn));
    };
    /** Calls back once this time has passed since the last line; replaces an earlier call. Lines only move `last`: a new timer
     * for each would take longer than reading it. */
    const afterSilence = (milliseconds: number, callback: () => void) => {
      const wait = (remaining: number) => {
        const mine = setTimeout(() => {
          const rest = last + milliseconds - performance.now();
          if (rest >= 1) return wait(rest);
          const seen = lines;
          // A busy event loop may run a timer before it reads lines that have arrived; setImmediate lets it read them.
          setImmediate(() => {
            if (timer !== mine) return;
            if (lines === seen) callback();
            else wait(milliseconds);
          });
        }, remaining);
        timer = mine;
      };
      clearTimeout(timer);
      wait(milliseconds);
    };

    signal?.addEventListener("abort", abort, { once: true });
    afterSilence(timeLimit, () =>
      finish(
        `it gave no answer for ${timeLimit / 1000} s; if it prints answers, it must flush its output after each line`,
      ),
    );
    program.listen({
      line(text) {
        const now = performance.now();
        // The first pause includes the start of the program, so it counts only if there is no other.
        if (lines === 1) pauses.pop();
        pauses.push(now - last);
        last = now;
        lines++;
        try {
          reader.accept(text);
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
          brokeProtocol = true;
          return finish(error.message);
        }
        if (!reader.isComplete) return;
        if (protocol === "json-lines") return finish(null);
        pauses.sort((a, b) => a - b);
        const pause = quantileOfSorted(pauses, isProved ? SILENCE.provedLevel : 1);
        const silence = Math.min(Math.max(SILENCE.times * pause, leastSilence), SILENCE.most);
        (silence <= LONGEST_SPIN ? afterShortSilence : afterSilence)(silence, () => finish(null));
      },
      ended(reason) {
        // A process may end after its last answer.
        finish(reader.isComplete ? null : reason);
      },
    });
    program.send(reader.request);
  });
  if (problem === null) return { answers: reader.answers, problem, brokeProtocol };
  program.kill();
  await program.ended();
  signal?.throwIfAborted();
  // What a process printed in order before it broke the protocol may be shifted; answers that name their string may not.
  const answers = protocol === "json-lines" ? reader.answers : new Map();
  return { answers, problem: `${problem}${program.lastErrors}`, brokeProtocol };
}
