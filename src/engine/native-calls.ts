// Lets one thread end another that uses the native library. Ending a thread inside a native call would abort the whole
// process, so the thread shows when it is inside one, and enters no more of them once it is halted.

/** Shared memory of the two threads. */
export type NativeCallState = Int32Array<SharedArrayBuffer>;

const CALLS = 0;
const HALTED = 1;
const POLL_MS = 10;

export function nativeCallState(): NativeCallState {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

let shown: NativeCallState | undefined;

/** From now on this thread shows its native calls. */
export function showNativeCalls(state: NativeCallState): void {
  shown = state;
}

/** Makes a native call. In a halted thread it waits forever instead. */
export async function nativeCall<T>(call: () => Promise<T>): Promise<T> {
  if (!shown) return call();
  const state = shown;
  Atomics.add(state, CALLS, 1);
  if (Atomics.load(state, HALTED) === 1) {
    Atomics.sub(state, CALLS, 1);
    Atomics.wait(state, HALTED, 1);
  }
  try {
    return await call();
  } finally {
    Atomics.sub(state, CALLS, 1);
  }
}

/** Halts the other thread. Resolves as soon as it is outside of all native calls, and so can be ended. */
export async function haltNativeCalls(state: NativeCallState): Promise<void> {
  Atomics.store(state, HALTED, 1);
  while (Atomics.load(state, CALLS) > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
