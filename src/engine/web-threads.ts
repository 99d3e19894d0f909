// The number of threads of the web engine. It follows from the page, the setting and the processor alone, never from timing,
// because results differ in their last bits between numbers of threads.

/** Most threads that the engine uses if no number is set. More of them gain little on the networks of this library. */
const MOST_BY_DEFAULT = 4;

/** The largest number that can be set: more threads than processors only wait for each other. */
const LEAST_LIMIT = 4;

/**
 * Threads of the web engine: 1 unless the page is cross-origin isolated, because only then threads can share memory. On such a
 * page the number that is set, and without one half of the logical processors, from 1 to 4.
 */
export function webThreads(set?: number): number {
  if (!canShareMemory()) return 1;
  return set ?? Math.min(MOST_BY_DEFAULT, Math.max(1, Math.floor(processors() / 2)));
}

/** Upper limit on the number that is set. */
export function mostWebThreads(): number {
  return Math.max(LEAST_LIMIT, processors());
}

function canShareMemory(): boolean {
  return globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
}

/** Logical processors. Browsers may report fewer than there are; some report none. */
function processors(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}
