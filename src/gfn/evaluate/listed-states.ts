// What exact evaluation of a model goes through: states, or histories where what was intended before matters.

import type { Enumeration } from "../enumeration.ts";
import { hasHistories, isEnumerable, listingOf } from "../environment.ts";
import type { Model } from "../model.ts";
import { hasReadableStates, longestPast, readsThought, takesThought } from "../reading.ts";
import { canListHistories, type HistoryListing, historyListing } from "./histories.ts";
import { type Limit, limitBySearch, limitOf } from "./limit.ts";

export interface ListedStates {
  readonly listed: Enumeration;
  /** The best that is reachable for policies that see as much as the model's. */
  limit(target: Float64Array): Limit;
  /** What networks take of these states, row after row; `thought` only where one of them reads it and there can be
   * one. */
  inputsOf(states: Int32Array): {
    readonly index: Int32Array;
    readonly features: Float32Array;
    readonly thought?: Int32Array;
  };
}

type Read = Pick<Model, "environment" | "reads">;

/** Null where there is no list of a size to go through. */
export function listedStates(model: Read): ListedStates | null {
  const { environment } = model;
  if (!canListStates(model)) return null;
  if (readsThought(model) || !isEnumerable(environment)) return listedHistories(model);
  const listed = listingOf(environment);
  return {
    listed,
    limit: (target) => limitOf(environment, listed, target),
    inputsOf: (states) => ({ index: states, features: environment.featuresOf(states) }),
  };
}

/** Whether `listedStates` has something, without making it. */
export function canListStates(model: Read): boolean {
  const { environment, reads } = model;
  const reading = reads.policy !== undefined || reads.dynamics !== undefined;
  if (reading && !hasReadableStates(environment)) return false;
  return (isEnumerable(environment) && !readsThought(model)) || canListHistories(environment);
}

function listedHistories(model: Read): ListedStates {
  const { environment, reads } = model;
  const listed = historyListing(environment);
  const thoughtful = takesThought(model);
  return {
    listed,
    limit(target) {
      // Where the state decides what happens, a thought adds nothing.
      if (isEnumerable(environment) && !hasHistories(environment)) {
        return limitOf(environment, listingOf(environment), target);
      }
      const sees = reads.policy === "thought" || reads.policy === "both";
      return limitBySearch(listed, target, sees ? {} : { groups: listed.prefixes });
    },
    inputsOf(states) {
      return {
        index: states.map((state) => listed.prefixes[state]),
        features: lettersAsFeatures(listed, states),
        ...(thoughtful && { thought: thoughts(listed, states, longestPast(environment)) }),
      };
    },
  };
}

/** One-hot letters by position, [states, length · letters]. */
function lettersAsFeatures({ realised, length, outcomes }: HistoryListing, states: Int32Array): Float32Array {
  const features = new Float32Array(states.length * length * outcomes);
  states.forEach((state, row) => {
    for (let place = 0; place < length; place++) {
      const letter = realised[state * length + place];
      if (letter >= 0) features[(row * length + place) * outcomes + letter] = 1;
    }
  });
  return features;
}

/** Intended letters, [states, places]. */
function thoughts({ intended, length }: HistoryListing, states: Int32Array, places: number): Int32Array {
  const thought = new Int32Array(states.length * places);
  states.forEach((state, row) => {
    for (let place = 0; place < places; place++) {
      thought[row * places + place] = intended[state * length + place];
    }
  });
  return thought;
}
