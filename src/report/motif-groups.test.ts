// Groups of similar motifs: which motifs belong together, how they are placed, and what most members have.

import { expect, test } from "vitest";
import { motifGroups } from "./motif-groups.ts";

const motif = (text: string) => {
  const places = [...text].flatMap((sign, place) =>
    sign === "." ? [] : [{ place, letter: "ACGT".indexOf(sign) }],
  );
  return { offsets: places.map(({ place }) => place), letters: places.map(({ letter }) => letter) };
};

test("equal motifs are one group, others are groups of their own", () => {
  const groups = motifGroups([[motif("AC.G"), motif("TT")], [motif("TT")], [motif("TT"), motif("AC.G")]], 4);
  expect(groups.map(({ members, consensus }) => ({ members, consensus }))).toEqual([
    { members: 3, consensus: motif("TT") },
    { members: 2, consensus: motif("AC.G") },
  ]);
  expect(groups[1].counts).toEqual([
    [2, 0, 0, 0],
    [0, 2, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 2, 0],
  ]);
});

test("a motif with further letters, or with one that differs, is placed where it shares most letters", () => {
  const [group, ...others] = motifGroups(
    [[motif("ACG")], [motif("ACG")], [motif("T.ACG")], [motif("ACT")]],
    4,
  );
  expect(others).toEqual([]);
  expect(group.members).toBe(4);
  expect(group.counts).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 0],
    [4, 0, 0, 0],
    [0, 4, 0, 0],
    [0, 0, 3, 1],
  ]);
  expect(group.consensus).toEqual(motif("ACG"));
});

test("a member has one motif in a group, the one that shares more", () => {
  const groups = motifGroups([[motif("ACG")], [motif("AC"), motif("ACG")]], 4);
  expect(groups.map(({ members, consensus }) => [members, consensus])).toEqual([
    [2, motif("ACG")],
    [1, motif("AC")],
  ]);
  expect(motifGroups([], 4)).toEqual([]);
});
