// Numbers of finished cells, by method and level of noise, as figures need them.

import type { Point, Seeds } from "../report/series.ts";
import type { FinishedCell } from "./folder.ts";
import type { Grid } from "./grid.ts";
import type { RecordField } from "./record.ts";

export interface CellData {
  readonly methods: readonly string[];
  /** Levels of noise of which a cell has ended. */
  readonly sticks: readonly number[];
  /** A number over another, for the methods and seeds that have it. */
  courses(stick: number, y: RecordField, x: RecordField): Seeds[];
  /** A number of each seed at the end, where it has one. */
  last(stick: number, method: string, field: RecordField): number[];
  /** A number that is the same in all cells of a level. */
  constant(stick: number, field: RecordField): number | undefined;
}

export function cellData(
  { methods, sticks }: Pick<Grid, "methods" | "sticks">,
  finished: readonly FinishedCell[],
): CellData {
  const cellsAt = (stick: number, method: string) =>
    finished.filter((cell) => cell.stick === stick && cell.method === method);
  const last: CellData["last"] = (stick, method, field) =>
    cellsAt(stick, method).flatMap(({ records }) => records.at(-1)?.[field] ?? []);
  return {
    methods,
    sticks: sticks.filter((stick) => finished.some((cell) => cell.stick === stick)),
    courses: (stick, y, x) =>
      methods.flatMap((name): Seeds[] => {
        const runs = cellsAt(stick, name).map((cell) => course(cell, x, y));
        const some = runs.filter((run) => run.length > 0);
        return some.length > 0 ? [{ name, runs: some }] : [];
      }),
    last,
    constant: (stick, field) => methods.flatMap((method) => last(stick, method, field))[0],
  };
}

function course({ records }: FinishedCell, x: RecordField, y: RecordField): Point[] {
  return records.flatMap((record) => {
    const [across, up] = [record[x], record[y]];
    return across === null || up === null ? [] : [{ x: across, y: up }];
  });
}
