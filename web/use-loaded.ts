// Data that a component loads: the last answer stays while the next one is under way.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: string | null;
  readonly isLoading: boolean;
}

/**
 * Loads when the key changes; a null key loads nothing. Answers that arrive after a newer request are dropped. While a
 * request is under way, and after it failed, `value` is that of the last answer.
 */
export function useLoaded<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const [{ value, error, answered }, setLoaded] = useState<Answered<T>>(NOTHING);
  // The key stands for everything that `load` uses. The request is sent before the browser paints, which saves a frame.
  useLayoutEffect(() => {
    if (key === null) return;
    let isCurrent = true;
    load().then(
      (loaded) => {
        if (isCurrent) setLoaded({ value: loaded, error: null, answered: key });
      },
      (problem: Error) => {
        if (isCurrent) setLoaded((before) => ({ ...before, error: problem.message, answered: key }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return { value, error, isLoading: key !== null && key !== answered };
}

interface Answered<T> {
  readonly value: T | null;
  readonly error: string | null;
  /** The key that the value, or the error, is the answer to. */
  readonly answered: string | null;
}

const NOTHING = { value: null, error: null, answered: null };

/** A number that grows after every interval, in milliseconds; it stays if there is none. */
export function useTurns(interval: number | null): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (interval === null) return;
    const timer = setInterval(() => setTurn((before) => before + 1), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return turn;
}
