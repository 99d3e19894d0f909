import { expect, test } from "vitest";
import { DEFAULT_STATE, hashOf, stateOf, type ViewState } from "./url-state.ts";

const FULL: ViewState = {
  page: "compare",
  entry: "runs/<script>alert(1)</script> & more",
  selected: ["a b", "c#seed=1.jsonl", "d?e=f"],
  hidden: ["c#seed=1.jsonl"],
  isGrouped: false,
  metric: "sampled.meanScore",
  moreMetrics: ["tv", "kl"],
  x: "seconds",
  scale: "log",
  zoom: [-0.5, 1e6],
  at: 0,
  smoothing: 15,
  showsAllSettings: true,
  filter: { text: "50 % + ü", kind: "experiment", state: "broken", task: "hypergrid" },
  sort: { column: "last:tv", isDescending: false },
  isListGrouped: true,
  view: "flow",
  choices: { flow: { path: [0, 3], levels: 2 }, attention: { head: null, layer: 1 } },
};

test("a hash gives back the whole state", () => {
  expect(stateOf(hashOf(FULL))).toEqual(FULL);
  const entry = { ...FULL, page: "entry" as const };
  expect(stateOf(hashOf(entry))).toEqual(entry);
});

test("the default state has a short hash", () => {
  expect(hashOf(DEFAULT_STATE)).toBe("#/");
  for (const hash of ["", "#", "#/", "#/unknown?x"]) expect(stateOf(hash)).toEqual(DEFAULT_STATE);
});

test("every part differs from its default in the hash alone", () => {
  for (const name of Object.keys(FULL) as (keyof ViewState)[]) {
    const state = { ...DEFAULT_STATE, entry: "x", [name]: FULL[name] };
    expect(stateOf(hashOf(state)), name).toEqual(state);
  }
});

test("parts that make no sense become defaults", () => {
  const hash =
    "#/compare?x=miles&scale=cubic&zoom=5~2&at=soon&smooth=7&kind=dog&state=odd&sort=-&view=none&choices={&e=&e=a&e=a";
  expect(stateOf(hash)).toEqual({ ...DEFAULT_STATE, page: "compare", selected: ["a"] });
  expect(stateOf("#/entry").page).toBe("home");
  expect(stateOf('#/?choices=["a"]').choices).toEqual({});
  expect(stateOf('#/?choices={"flow":3,"grid":{"axes":[0,2]}}').choices).toEqual({ grid: { axes: [0, 2] } });
});
