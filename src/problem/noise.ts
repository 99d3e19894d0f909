// Turns the noise of a problem file into stick noise or matrices of substitution by token index.

import type { SequenceSpace } from "../constraints/space.ts";
import type { Letters } from "./letters.ts";
import type { BuildingNoise, ProblemNoise, Substitution, SubstitutionMatrix } from "./problem.ts";
import type { NOISE_FIELDS } from "./problem-keys.ts";
import { keyPath, type Report } from "./report.ts";
import type { Values } from "./shapes.ts";

type NoiseValues = Values<typeof NOISE_FIELDS>;
/** Per intended token, the probabilities of the tokens that are written. */
type Rows = readonly (readonly [string, readonly (readonly [string, number])[]])[];

export const NO_NOISE: ProblemNoise = { when: "building", letters: { kind: "none" } };

/** Rounding that the sum of a row of probabilities may have. */
const ROUNDING = 1e-6;

export interface NoiseContext {
  readonly space: SequenceSpace;
  readonly letters: Letters;
  readonly report: Report;
}

export function readNoise(values: NoiseValues, context: NoiseContext): ProblemNoise {
  const { report, space } = context;
  const { stick, substitution, when = "building", mode, insertion, deletion } = values;
  for (const name of when === "building" ? (["insertion", "deletion"] as const) : (["mode"] as const)) {
    if (values[name] === undefined) continue;
    const other = when === "building" ? "after" : "building";
    report.issue(`noise.${name}`, "conflict", `belongs to \`when\` ${other}, and it is ${when}`);
  }
  if (stick !== undefined && substitution !== undefined) {
    report.issue("noise.substitution", "conflict", "excludes `stick`; give one of them");
  }
  // A key that was given and is wrong has been reported already.
  if (!["stick", "substitution", "insertion", "deletion"].some((name) => name in values)) {
    report.issue("noise", "missing", "must have stick, substitution, insertion or deletion");
  }
  const matrix = substitution === undefined ? undefined : readSubstitution(substitution, context);
  if (when === "after") {
    return {
      when,
      substitution: matrix ?? uniformSubstitution(stick ?? 0, space.tokens.length),
      insertion: insertion ?? 0,
      deletion: deletion ?? 0,
    };
  }
  const letters: BuildingNoise = matrix
    ? { kind: "substitution", matrix, mode: mode ?? "within" }
    : stick
      ? { kind: "stick", stick, mode: mode ?? "within" }
      : { kind: "none" };
  return { when, letters };
}

/** The matrix of stick noise: with this probability the token is drawn uniformly. */
function uniformSubstitution(stick: number, size: number): SubstitutionMatrix {
  return Array.from({ length: size }, (_, intended) =>
    Array.from({ length: size }, (_, written) => (written === intended ? 1 - stick : 0) + stick / size),
  );
}

function readSubstitution(
  given: NonNullable<NoiseValues["substitution"]>,
  context: NoiseContext,
): Substitution {
  const path = "noise.substitution";
  const { max } = context.space.length;
  if (!isPerPosition(given)) return readMatrix(given, path, context);
  if (given.length !== max) {
    context.report.issue(path, "range", `must have one map per position, ${max}, got ${given.length}`);
  }
  return given.map((rows, i) => readMatrix(rows ?? [], `${path}[${i}]`, context));
}

/** A list of maps per position has no pairs of a token and a row. */
function isPerPosition(
  given: NonNullable<NoiseValues["substitution"]>,
): given is readonly (Rows | undefined)[] {
  return given.length > 0 && given.every((item) => item === undefined || typeof item[0] !== "string");
}

/** Tokens without a row stay as intended. */
function readMatrix(rows: Rows, path: string, { space, letters, report }: NoiseContext): SubstitutionMatrix {
  const matrix: number[][] = space.tokens.map((_, intended) =>
    space.tokens.map((_, written) => (written === intended ? 1 : 0)),
  );
  const seen = new Set<number>();
  for (const [from, probabilities] of rows) {
    const at = keyPath(path, from);
    const intended = letters.token(from, at);
    const written = probabilities.map(([to]) => letters.token(to, keyPath(at, to)));
    if (intended === undefined || written.includes(undefined)) continue;
    if (seen.has(intended) || new Set(written).size < written.length) {
      report.issue(at, "conflict", "must name each token once, got one twice");
      continue;
    }
    seen.add(intended);
    const row = new Map(probabilities.map(([, probability], i) => [written[i] as number, probability]));
    const stays = row.get(intended);
    const others = [...row].reduce((sum, [token, p]) => sum + (token === intended ? 0 : p), 0);
    if (others > 1 + ROUNDING || (stays !== undefined && Math.abs(others + stays - 1) > ROUNDING)) {
      const rule = stays === undefined ? "of at most 1" : "of 1, because the token itself is listed";
      report.issue(at, "range", `must have probabilities with a sum ${rule}, got ${others + (stays ?? 0)}`);
      continue;
    }
    matrix[intended] = space.tokens.map((_, token) =>
      token === intended ? Math.max(0, 1 - others) : (row.get(token) ?? 0),
    );
  }
  return matrix;
}
