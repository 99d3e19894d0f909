// Sends one batch to a process and reads its answers, within a time limit.

import { quantileOfSorted } from "../math/statistics.ts";
import { ProtocolError } from "./answers.ts";
import type { Attempt } from "./attempts.ts";
import type { ChildProgram } from "./child-program.ts";
import type { DesignObjective } from "./design-objectives.ts";
import { batchReader, type ProgramProtocol } from "./program-protocols.ts";

/** Plain lines carry no strings, so a line too many shows only if one more line arrives. After the last line the process
 * must be silent for `times` the longest pause between its lines. Until a process has proved that it prints one line per
 * string, it must be silent longer, because a line that it prints when it starts would shift all its scores, and the line
 * that reveals this takes as long as a score. Once it has, the longest twentieth of its pauses does not count: they are
 * moments in which the machine was busy, and waiting as long again after every batch would cost more than all else; and the
 * silence of a slow program is at most `most`, unless a line came much earlier than usual, so that it may not be a score. A
 * silence of the time limit is always enough, because no answer takes longer. */
const SILENCE = {
  unproved: { times: 3, least: 100 },
  proved: { times: 1.25, least: 0.25, most: 1000, level: 0.95, early: 0.5 },
};

/** Timers count milliseconds, so silences up to this one, in milliseconds, are awaited by turns of the event loop, each of
 * which reads what has arrived. */
const LONGEST_SPIN = 2;

export interface ExchangeOptions {
  readonly protocol: ProgramProtocol;
  /** Longest wait for the next answer, in milliseconds. */
  readonly timeLimit: number;
  /** Whether this process has answered plain lines before, and no process of the program has ever printed other ones. */
  readonly isProved?: boolean;
  /** The usual pause between two plain lines of this program, in milliseconds, if it is known. */
  readonly usualPause?: number;
  readonly objectives?: readonly DesignObjective[];
  readonly signal?: AbortSignal;
}

/** An attempt, and whether the program broke the protocol instead of crashing or being too slow. */
export interface Exchange extends Attempt {
  readonly brokeProtocol: boolean;
  /** The median pause between two lines, in milliseconds; null if there was none. */
  readonly pause: number | null;
}

/** Ends the process if it breaks the protocol, is silent for too long, or if the signal aborts. */
export async function exchange(
  program: ChildProgram,
  strings: readonly string[],
  { protocol, timeLimit, isProved = false, usualPause, objectives, signal }: ExchangeOptions,
): Promise<Exchange> {
  const isPlain = protocol === "plain-lines";
  // The first line of a process may be no score. That shows only in the pause before its second line, so a single string is
  // sent twice if nothing else tells how long a score takes.
  const isTwice = isPlain && !isProved && usualPause === undefined && strings.length === 1;
  const reader = batchReader(protocol, isTwice ? [strings[0], strings[0]] : strings, objectives);
  const pauses: number[] = [];
  let firstPause = Number.POSITIVE_INFINITY;
  let lines = 0;
  let brokeProtocol = false;
  let wasSilent = false;

  /** How long a process must be silent after the last of its plain lines, in milliseconds. */
  const silence = () => {
    pauses.sort((a, b) => a - b);
    const usual = usualPause ?? 0;
    if (!isProved) {
      const { times, least } = SILENCE.unproved;
      return Math.min(Math.max(times * Math.max(pauses[pauses.length - 1], usual), least), timeLimit);
    }
    const { times, least, most, level, early } = SILENCE.proved;
    const longest = Math.max(quantileOfSorted(pauses, level), usual);
    const isEarly = Math.min(pauses[0], firstPause) < early * usual;
    return Math.min(Math.max(times * longest, least), isEarly ? timeLimit : Math.min(most, timeLimit));
  };
  /** Whether a process that has ended has printed one line for each string. If it crashed, a line may be missing. */
  const isWhole = () => isPlain && program.endedWell && (reader.isComplete || (isTwice && lines === 1));

  const problem = await new Promise<string | null>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let last = performance.now();
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
    afterSilence(timeLimit, () => {
      wasSilent = lines === 0;
      finish(
        `it gave no answer for ${timeLimit / 1000} s; if it prints answers, it must flush its output after each line; if it is slow, it needs a longer time limit`,
      );
    });
    program.listen({
      line(text) {
        const now = performance.now();
        // The first pause includes the start of the program, so it counts only if there is no other.
        if (lines === 0) firstPause = now - last;
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
        if (!isPlain) return finish(null);
        const wait = silence();
        (wait <= LONGEST_SPIN ? afterShortSilence : afterSilence)(wait, () => finish(null));
      },
      ended(reason) {
        finish(isWhole() ? null : reason);
      },
    });
    program.send(reader.request);
  });
  const pause =
    lines < 2
      ? null
      : quantileOfSorted(
          pauses.sort((a, b) => a - b),
          0.5,
        );
  if (problem === null) return { answers: reader.answers, problem, brokeProtocol, pause };
  program.kill();
  await program.ended();
  signal?.throwIfAborted();
  // What a process printed in order before it broke the protocol may be shifted; answers that name their string may not.
  const answers = isPlain ? new Map() : reader.answers;
  return { answers, problem: `${problem}${program.lastErrors}`, brokeProtocol, wasSilent, pause };
}
