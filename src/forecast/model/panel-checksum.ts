// A checksum that identifies the training data of a model.

import { crc32 } from "../../formats/crc32.ts";
import type { Panel } from "../types.ts";

/** CRC-32 over the ids, times and targets of all series. */
export function panelChecksum({ series, targets }: Panel): number {
  const sums = series.flatMap(({ id, times, targets: values }) => [
    crc32(new TextEncoder().encode(id)),
    ...[times, ...values].map((array) =>
      crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)),
    ),
  ]);
  const names = crc32(new TextEncoder().encode(JSON.stringify(targets)));
  return crc32(new Uint8Array(Uint32Array.from([names, ...sums]).buffer));
}
