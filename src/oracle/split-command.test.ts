// A command line is split into words without a shell.

import { describe, expect, test } from "vitest";
import { splitCommand } from "./split-command.ts";

test.each<[string, string[]]>([
  ["python3 score.py", ["python3", "score.py"]],
  ["  python3\t score.py  --n 3 ", ["python3", "score.py", "--n", "3"]],
  [`run "my script.py" 'a b'`, ["run", "my script.py", "a b"]],
  [`run --x="a b" c'd e'f`, ["run", "--x=a b", "cd ef"]],
  [`run "" ''`, ["run", "", ""]],
  [`run "it's" 'say "yes"'`, ["run", "it's", 'say "yes"']],
  [`run a\\ b \\"c\\" "d\\"e" 'f\\g'`, ["run", "a b", '"c"', 'd"e', "f\\g"]],
  [`C:\\tools\\score.exe x`, ["C:\\tools\\score.exe", "x"]],
  ["run $HOME ~ *.py %PATH% {a,b}", ["run", "$HOME", "~", "*.py", "%PATH%", "{a,b}"]],
  [`run ">" '|'`, ["run", ">", "|"]],
])("%s", (command, words) => {
  expect(splitCommand(command)).toEqual(words);
});

describe("one sentence says what is wrong with", () => {
  test.each([
    [`run "a`, 'the command "run \\"a" has a quote (") that is never closed'],
    ["   ", 'a command must begin with the name of a program, got "   "'],
    ['"" x', "a command must begin with the name of a program"],
    ["run a | sort", '"|" has no meaning in it; write a script'],
    ["run > file", '">" has no meaning in it'],
    ["a && b", '"&&" has no meaning in it'],
    ["run $(date)", '"$(date)" has no meaning in it'],
  ])("%s", (command, message) => {
    expect(() => splitCommand(command)).toThrow(message);
  });
});
