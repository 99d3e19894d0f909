import { expect, test } from "vitest";
import { askForProblem } from "./init-questions.ts";

/** Answers the questions in order, and returns the problem with everything that was shown. */
async function conversation(answers: readonly string[], draft = {}) {
  const left = [...answers];
  const shown: string[] = [];
  const problem = await askForProblem(draft, {
    folder: process.cwd(),
    say: (text) => shown.push(text),
    ask: async (question) => {
      shown.push(question);
      const answer = left.shift();
      if (answer === undefined) throw new Error(`there is no answer to ${question}`);
      return answer;
    },
  });
  expect(left).toEqual([]);
  return { problem, shown };
}

test("answers become a problem, and an empty line takes the default", async () => {
  const { problem, shown } = await conversation(["", "8-12", "python3 score.py", "GGTCTC, AAAA", "0.05"]);
  expect(problem).toEqual({
    alphabet: "DNA",
    length: { min: 8, max: 12 },
    oracle: "python3 score.py",
    constraints: { forbid: ["GGTCTC", "AAAA"] },
    noise: { stick: 0.05 },
  });
  expect(shown[0]).toBe("Alphabet: DNA, RNA, protein, or letters such as ACGT [DNA]: ");
});

test("a wrong answer is explained and asked again", async () => {
  const { problem, shown } = await conversation(["AA", "AB", "many", "", "4", "", "AC", "ABA", "2", ""]);
  expect(problem).toEqual({ alphabet: "AB", length: 4, constraints: { forbid: ["ABA"] } });
  expect(shown).toContain('must have each token once, got "A" twice');
  expect(shown).toContain('must be a whole number from 1 to 10000, or { min, max }, got "many"');
  expect(shown).toContain("must be a number in [0, 1), got 2");
});

test("only what the flags left open is asked", async () => {
  const { problem } = await conversation(["http://localhost:8080/", "", ""], { alphabet: "DNA", length: 3 });
  expect(problem).toEqual({ alphabet: "DNA", length: 3, oracle: { url: "http://localhost:8080/" } });
});

test("a file that scores is a table or a module by its name", async () => {
  const oracle = async (answer: string) =>
    (await conversation([answer, "", ""], { alphabet: "DNA", length: 3 })).problem.oracle;
  expect(await oracle("package.json")).toEqual({ table: "package.json" });
  expect(await oracle("score.mjs")).toEqual({ module: "score.mjs" });
  expect(await oracle("./score --fast")).toBe("./score --fast");
});
