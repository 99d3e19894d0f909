// Measures a round again if other processes disturbed it, so that the results are those of a quiet machine.
//
// A machine that is never quiet must still give results: after a number of discarded rounds, disturbed ones are kept.

import { watchForeignLoad } from "./foreign-load.ts";

/** Largest number of processors that other processes may use during a round. */
export const MOST_FOREIGN_LOAD = 0.1;
/** Rounds that may be discarded: this share of the planned ones, and at least `LEAST_DISCARDS`. */
const DISCARDED_SHARE = 0.5;
const LEAST_DISCARDS = 3;

/** How often other processes disturbed the rounds of a contest. */
export interface Disturbance {
  /** Rounds that were discarded and measured again. */
  readonly discarded: number;
  /** Rounds that were kept although they were disturbed. */
  readonly kept: number;
}

export const UNDISTURBED: Disturbance = { discarded: 0, kept: 0 };

export interface QuietRounds {
  /** Measures a round, again if it was disturbed and not too many were discarded before. */
  measure<T>(contest: string, round: () => Promise<T>): Promise<T>;
  disturbance(contest: string): Disturbance;
}

/** `planned` is the number of rounds of all contests. `say` receives a line for each disturbed round. */
export function quietRounds(
  planned: number,
  say: (line: string) => void,
  watch: typeof watchForeignLoad = watchForeignLoad,
): QuietRounds {
  let discardsLeft = Math.max(LEAST_DISCARDS, Math.ceil(DISCARDED_SHARE * planned));
  const disturbances = new Map<string, Disturbance>();
  const disturbance = (contest: string) => disturbances.get(contest) ?? UNDISTURBED;
  return {
    disturbance,
    async measure(contest, round) {
      for (;;) {
        const foreignLoad = watch();
        const result = await round();
        const load = foreignLoad();
        if (load === undefined || load <= MOST_FOREIGN_LOAD) return result;
        const { discarded, kept } = disturbance(contest);
        const reason = `other processes used ${load.toFixed(2)} processors`;
        if (discardsLeft === 0) {
          disturbances.set(contest, { discarded, kept: kept + 1 });
          say(`${contest}: ${reason}; the round is kept, because too many were discarded before.`);
          return result;
        }
        discardsLeft--;
        disturbances.set(contest, { discarded: discarded + 1, kept });
        say(`${contest}: ${reason}; the round is discarded and measured again.`);
      }
    },
  };
}

/** A note for the table, such as "2 disturbed rounds measured again"; undefined if nothing was disturbed. */
export function disturbanceNote(disturbances: readonly Disturbance[]): string | undefined {
  const sum = (key: keyof Disturbance) => disturbances.reduce((total, each) => total + each[key], 0);
  const count = (rounds: number) => `${rounds} disturbed ${rounds === 1 ? "round" : "rounds"}`;
  const parts = [
    ...(sum("discarded") > 0 ? [`${count(sum("discarded"))} measured again`] : []),
    ...(sum("kept") > 0 ? [`${count(sum("kept"))} kept`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : undefined;
}
