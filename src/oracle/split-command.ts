// Splits a command line into a program and its arguments, without a shell: quotes group words, and nothing is expanded.

import { show, UserError } from "../issues.ts";

/** Signs that only a shell understands, as words of their own or at the start of a word. */
const SHELL_SIGN = /^(\||&|;|>|<|\d>|`|\$\()/;

/**
 * The words of a command line. Blanks separate words, except inside single or double quotes. A backslash before a blank,
 * a quote or a backslash makes it an ordinary character; before any other character it is itself one, as in Windows
 * paths. Throws a UserError if a quote is not closed, if there is no word, or if a word needs a shell.
 */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  let wasQuoted = false;
  const endWord = () => {
    if (word === null) return;
    if (!wasQuoted && SHELL_SIGN.test(word)) {
      throw new UserError(
        `the command ${show(command)} is not run by a shell, so ${show(word)} has no meaning in it; write a script and give its name`,
      );
    }
    words.push(word);
    word = null;
    wasQuoted = false;
  };
  for (let i = 0; i < command.length; i++) {
    const sign = command[i];
    const isEscape = sign === "\\" && quote !== "'" && /[\s"'\\]/.test(command[i + 1] ?? "");
    if (isEscape && !(quote === '"' && /[\s']/.test(command[i + 1]))) word = (word ?? "") + command[++i];
    else if (quote !== null && sign === quote) quote = null;
    else if (quote !== null) word = (word ?? "") + sign;
    else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
      wasQuoted = true;
    } else if (/\s/.test(sign)) endWord();
    else word = (word ?? "") + sign;
  }
  if (quote !== null)
    throw new UserError(`the command ${show(command)} has a quote (${quote}) that is never closed`);
  endWord();
  if (words.length === 0 || words[0] === "") {
    throw new UserError(`a command must begin with the name of a program, got ${show(command)}`);
  }
  return words;
}
