// How much memory a computation may still take: estimates are compared with this before anything is allocated.
//
// There are two pools. Numeric arrays count against the memory of the machine or container, objects and strings of
// JavaScript also against the heap limit of the process, which is smaller and ends the process when it is reached.

/** Memory for one purpose. */
export interface MemoryNeed {
  /** Completes "most of it for …": "the transitions of the states". */
  readonly what: string;
  readonly bytes: number;
  /** Whether these are JavaScript objects, which the heap limit bounds. */
  readonly heap?: true;
  /** Names of the options that decide it. */
  readonly options?: readonly string[];
}

/** Bytes that are available; Infinity where a platform does not report them. */
export interface MemoryBudget {
  readonly memory: number;
  readonly heap: number;
}

/** Needs that exceed the budget. */
export interface MemoryExcess {
  readonly bytes: number;
  readonly available: number;
  /** The largest of the needs. */
  readonly largest: MemoryNeed;
}

/** Fraction of the free memory that a computation may plan with: estimates are rough, and others need memory too. */
const USABLE = 0.85;

interface HeapStatistics {
  readonly heap_size_limit: number;
  readonly used_heap_size: number;
}

/** What is available to this process now, within the limits of its container. */
export function memoryBudget(): MemoryBudget {
  const { process } = globalThis;
  const free = process?.availableMemory?.();
  const v8 = process?.getBuiltinModule?.("node:v8") as
    | { readonly getHeapStatistics: () => HeapStatistics }
    | undefined;
  const heap = v8?.getHeapStatistics();
  return {
    memory: free === undefined ? Number.POSITIVE_INFINITY : USABLE * free,
    heap: heap ? USABLE * (heap.heap_size_limit - heap.used_heap_size) : Number.POSITIVE_INFINITY,
  };
}

/** Null if the needs fit together. */
export function memoryExcess(
  needs: readonly MemoryNeed[],
  { memory, heap }: MemoryBudget,
): MemoryExcess | null {
  return (
    excessOf(needs, memory) ??
    excessOf(
      needs.filter((need) => need.heap),
      heap,
    )
  );
}

function excessOf(needs: readonly MemoryNeed[], available: number): MemoryExcess | null {
  const bytes = needs.reduce((sum, need) => sum + need.bytes, 0);
  if (bytes <= available) return null;
  return { bytes, available, largest: needs.reduce((a, b) => (b.bytes > a.bytes ? b : a)) };
}

const UNITS = ["MiB", "GiB", "TiB", "PiB"];

/** "61.2 GiB", with three digits. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log2(bytes) / 10) - 2, 0), UNITS.length - 1);
  const value = Number((bytes / 2 ** (20 + 10 * power)).toPrecision(3));
  return `${value.toLocaleString("en-US")} ${UNITS[power]}`;
}
