// Tests of methods as text: the settings of a method, the short form of γ, and every mistake.

import { describe, expect, test } from "vitest";
import { describeMethod } from "./method-names.ts";
import { methodText, parseMethod, readMethod } from "./method-text.ts";

test.each<[string, ReturnType<typeof parseMethod>]>([
  ["kl", { name: "kl", settings: {} }],
  ["kl-entropy:0.25", { name: "kl-entropy", settings: { entropyGamma: 0.25 } }],
  ["kl-entropy:1e-7", { name: "kl-entropy", settings: { entropyGamma: 1e-7 } }],
  [
    "kl:balance=tb,hidden=64,32,clip=0.5",
    { name: "kl", settings: { balance: "tb", hidden: [64, 32], clip: 0.5 } },
  ],
  ["kl:hidden=none", { name: "kl", settings: { hidden: [] } }],
  [
    "sdb:learningRate=0.01:0.001:cosine,epsilon=0.5",
    { name: "sdb", settings: { learningRate: { from: 0.01, to: 0.001, shape: "cosine" }, epsilon: 0.5 } },
  ],
  ["evolution:batch=8,mutation=0.5", { name: "evolution", settings: { batch: 8, mutation: 0.5 } }],
  ["ppo:batch=8,lambda=1", { name: "ppo", settings: { batch: 8, lambda: 1 } }],
])("%j is parsed, and written the same", (text, method) => {
  expect(parseMethod(text)).toEqual(method);
  expect(methodText(parseMethod(text))).toBe(text);
});

test("equal methods have equal texts: order, blanks, short names and brackets do not matter", () => {
  const texts = ["kl-entropy:clip=1,gamma=.250", "kl-entropy: entropyGamma = 0.25 , clip = 1"];
  expect(new Set(texts.map((text) => methodText(parseMethod(text)))).size).toBe(1);
  expect(methodText(parseMethod("kl-entropy:gamma=0.25"))).toBe("kl-entropy:0.25");
  expect(methodText(parseMethod("kl:hidden=[64,64]"))).toBe("kl:hidden=64,64");
  expect(methodText(parseMethod("kl:hidden=[]"))).toBe("kl:hidden=none");
});

test("a description names the settings", () => {
  expect(describeMethod(parseMethod("kl-entropy"))).toMatch(/, with γ = 0\.5$/);
  expect(describeMethod(parseMethod("kl:balance=tb,hidden=8,8"))).toMatch(
    /, with balance = tb, hidden = 8,8$/,
  );
});

describe("mistakes", () => {
  const problemsOf = (text: string) => {
    const result = readMethod(text);
    return "problems" in result ? result.problems.map(({ path, message }) => `${path}: ${message}`) : [];
  };

  test.each(["", "KL", "kl-", "toString", ":0.5"])("there is no method %j", (name) => {
    expect(problemsOf(name)).toEqual([expect.stringMatching(/^null: there is no method/)]);
  });

  test.each(["kl-entropy:", "kl-entropy:0", "kl-entropy:1", "kl-entropy:x", "kl-entropy:0.1:0.2"])(
    "the γ of %j is refused",
    (name) => expect(problemsOf(name)).toEqual([expect.stringMatching(/^null: the γ of kl-entropy must be/)]),
  );

  test.each([
    ["kl:0.5", 'null: the settings of kl must be written as in kl:clip=1, got "0.5"'],
    [
      "balance=tb",
      'null: there is no method "balance=tb"; a method with several settings needs a `method` of its own',
    ],
    ["kl:gama=0.5", "kl:gama: kl has no such setting; did you mean gamma?"],
    ["kl:batch=1,batch=2", "kl:batch: must be given once, got batch twice"],
    ["kl:toString=1", "kl:toString: kl has no such setting"],
    ["kl:=1", "kl:: kl has no such setting"],
    ["random:elite=4", "random:elite: random has no such setting"],
    ["evolution:mutation=1", 'evolution:mutation: must be a number in [0, 1), got "1"'],
    ["ppo:encoder=both", "ppo:encoder: ppo has no such setting"],
    ["kl:offlineFile=/etc/passwd", "kl:offlineFile: kl has no such setting"],
    ["kl:encoder=all", 'kl:encoder: must be one of none, thought, outcomes, both, got "all"'],
  ])("%j", (text, problem) => expect(problemsOf(text)).toEqual([problem]));
});
