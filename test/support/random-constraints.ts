// Random small spaces with random constraints, for tests that compare with all strings.

import type { Constraint, Template } from "../../src/constraints/constraint.ts";
import type { SequenceSpace } from "../../src/constraints/space.ts";
import type { RandomStream } from "../../src/engine/index.ts";

/** A random space with constraints, and a template to restrict it by. */
export interface RandomConstraints {
  readonly space: SequenceSpace;
  readonly constraints: readonly Constraint[];
  readonly template: Template;
}

export function randomConstraints(stream: RandomStream): RandomConstraints {
  const A = 2 + stream.integer(3);
  const max = 2 + stream.integer(A === 2 ? 6 : 4);
  const min = stream.integer(2) === 0 ? max : stream.integer(max + 1);
  const space = { tokens: [..."ABCD"].slice(0, A), length: { min, max } };
  const list = (length: number) => Array.from({ length }, () => stream.integer(A));
  const lengthInSpace = () => min + stream.integer(max - min + 1);
  const places = (length: number) =>
    Array.from({ length }, () => (stream.integer(3) > 0 ? null : [...new Set(list(1 + stream.integer(2)))]));
  const template = (): Template =>
    stream.integer(2) === 0
      ? { kind: "template", pattern: places(lengthInSpace()) }
      : { kind: "template", pattern: places(stream.integer(max + 1)), open: true };
  const makers: (() => Constraint)[] = [
    template,
    () => ({ kind: "forbid", motif: list(1 + stream.integer(3)) }),
    () => ({ kind: "forbid", motif: list(2 + stream.integer(2)) }),
    () => ({ kind: "forbid", motif: list(1 + stream.integer(4)).map((t) => [...new Set([t, ...list(1)])]) }),
    () => ({ kind: "require", motif: list(1 + stream.integer(3)) }),
    () => ({ kind: "pairs", allowed: list(A).map(() => list(A).map(() => stream.integer(4) > 0)) }),
    () => {
      const [a, b] = [stream.integer(max + 1), stream.integer(max + 1)];
      return { kind: "composition", tokens: [0], min: Math.min(a, b), max: Math.max(a, b), unit: "count" };
    },
    () => {
      const [a, b] = [stream.integer(6) / 5, stream.integer(6) / 5];
      return {
        kind: "composition",
        tokens: [0, 1],
        min: Math.min(a, b),
        max: Math.max(a, b),
        unit: "fraction",
      };
    },
    () => ({ kind: "homopolymer", longest: 1 + stream.integer(3) }),
    () => ({ kind: "mutations", parent: list(lengthInSpace()), most: stream.integer(max + 1) }),
  ];
  const count = 1 + stream.integer(4);
  return {
    space,
    constraints: Array.from({ length: count }, () => makers[stream.integer(makers.length)]()),
    template: template(),
  };
}

/** All strings of a space, legal or not, in lexicographic order with a prefix before its continuations. */
export function strings({ tokens, length }: SequenceSpace): number[][] {
  const from = (prefix: number[]): number[][] => [
    ...(prefix.length >= length.min ? [prefix] : []),
    ...(prefix.length < length.max ? tokens.flatMap((_, token) => from([...prefix, token])) : []),
  ];
  return from([]);
}
