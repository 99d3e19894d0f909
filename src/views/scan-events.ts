// Reads some events of a metrics file of any size, with bounded memory: only lines that contain a given text are parsed,
// and if there are many, every second one of those kept so far is dropped.

import { readLines } from "../disk/lines.ts";
import { openIfExists } from "../disk/open-file.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import { parseEvent } from "../run/event-lines.ts";

/** Evenly spaced events among those that `keep` accepts, at most `most`, and the last one. `marker` is a text that every
 * such line contains. */
export async function scanEvents<E extends TrainEvent>(
  path: string,
  marker: string,
  keep: (event: TrainEvent) => event is E,
  most: number,
): Promise<E[]> {
  const file = await openIfExists(path);
  if (!file) return [];
  try {
    let kept: E[] = [];
    let last: E | null = null;
    let [stride, seen] = [1, 0];
    for await (const { text } of readLines(file)) {
      if (!text.includes(marker)) continue;
      const event = parseEvent(text);
      if (!event || !keep(event)) continue;
      last = event;
      if (seen++ % stride !== 0) continue;
      kept.push(event);
      if (kept.length < most) continue;
      kept = kept.filter((_, i) => i % 2 === 0);
      stride *= 2;
    }
    if (last && kept.at(-1) !== last) kept.push(last);
    return kept;
  } finally {
    await file.close();
  }
}
