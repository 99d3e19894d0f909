// Data that a component loads: the last answer stays while the next one is under way.

import { useEffect, useState } from "preact/hooks";

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
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: null, error: null, isLoading: key !== null });
  // The key stands for everything that `load` uses.
  useEffect(() => {
    if (key === null) return;
    let isCurrent = true;
    setLoaded((before) => ({ ...before, isLoading: true }));
    load().then(
      (value) => {
        if (isCurrent) setLoaded({ value, error: null, isLoading: false });
      },
      (error: Error) => {
        if (isCurrent) setLoaded(({ value }) => ({ value, error: error.message, isLoading: false }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return loaded;
}

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
