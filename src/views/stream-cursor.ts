// The cursor of a stream of points: the position in the file of each entry, as a short text. With it a page that lost its
// connection, or whose server was started again, continues exactly where it was.

import { createHash } from "node:crypto";
import type { Position } from "./file-position.ts";

/** Entries are named by a part of a hash, because ids are long and a cursor is sent with every message. */
function shortName(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 10);
}

export function cursorText(positions: ReadonlyMap<string, Position>): string {
  return [...positions]
    .map(([id, { offset, check }]) => `${shortName(id)}.${offset.toString(36)}.${check.toString(36)}`)
    .join("~");
}

/** The positions of these entries, as far as the cursor has them. A damaged cursor has none. */
export function parseCursor(text: string, ids: readonly string[]): Map<string, Position> {
  const named = new Map(text.split("~").map((part) => [part.split(".")[0], part]));
  const found = ids.flatMap((id): [string, Position][] => {
    const match = /^[\w-]+\.([0-9a-z]{1,11})\.([0-9a-z]{1,7})$/.exec(named.get(shortName(id)) ?? "");
    if (!match) return [];
    const [offset, check] = [match[1], match[2]].map((digits) => Number.parseInt(digits, 36));
    return Number.isSafeInteger(offset) ? [[id, { offset, check }]] : [];
  });
  return new Map(found);
}
