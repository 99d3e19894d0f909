// What was typed, and everything that is wrong with it, so that all of it can be said at once. It loads quickly.

import { Command, Option } from "commander";
import type { Config } from "./config/keys.ts";
import type { FlagKind } from "./flag-kinds.ts";

/** Settings that were typed; `wrong` has what is wrong with a flag by itself, under its key or, if it has none, its name. */
export interface Typed {
  readonly flags: Config;
  readonly wrong: ReadonlyMap<string, string>;
}

/** Flags that do not exist. */
export class StrangeFlags extends Error {
  override readonly name = "StrangeFlags";
  readonly strange: readonly string[];
  /** What else is wrong. */
  readonly wrong: ReadonlyMap<string, string>;
  /** Flags that do exist. */
  readonly known: readonly string[];

  constructor(strange: readonly string[], { wrong, options }: TypedCommand) {
    super(`there is no ${strange[0]}`);
    this.strange = strange;
    this.wrong = wrong;
    this.known = options.flatMap(({ long }) => long ?? []);
  }
}

/** A command that goes on reading after a mistake. */
export class TypedCommand extends Command {
  readonly wrong = new Map<string, string>();

  override createCommand(name?: string): TypedCommand {
    return new TypedCommand(name);
  }

  override parseOptions(words: string[]) {
    const parsed = super.parseOptions(words);
    const end = parsed.unknown.indexOf("--");
    const flags = (end < 0 ? parsed.unknown : parsed.unknown.slice(0, end)).filter((word) =>
      /^--?[^-\d.]/.test(word),
    );
    const wantsHelp = flags.includes("--help") || flags.includes("-h");
    // What has commands of its own leaves flags to them.
    if (this.parent && this.commands.length === 0 && flags.length > 0 && !wantsHelp) {
      throw new StrangeFlags([...new Set(flags.map((flag) => flag.split("=")[0]))], this);
    }
    return parsed;
  }

  /** A flag of this command, still to be added. */
  flag(flags: string, description: string, kind: FlagKind<unknown>): Option {
    const option: Option = new Option(flags, description).argParser((text) => {
      const value = kind.read(text);
      const name = option.long ?? flags;
      if (value === undefined) {
        this.wrong.set(name, kind.problem?.(text) ?? `must be ${kind.rule}, got ${JSON.stringify(text)}`);
      } else this.wrong.delete(name); // typed again, and the last one counts
      return value;
    });
    return option;
  }
}
