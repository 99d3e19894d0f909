// Command-line input: a command that collects all issues of its flags, so that they can be reported at once.
//
// The module loads quickly, because `--help` needs it.

import { Command, Option } from "commander";
import type { Config } from "../config/config.ts";
import type { Issue, NameOf } from "../issues.ts";
import { type Kind, readText } from "../settings/kinds.ts";

/** Flags that are keys of a config, and the issues of all flags. */
export interface ConfigInput {
  readonly flags: Config;
  readonly issues: readonly Issue[];
}

/** Unknown flags, with the issues of the known ones. */
export class UnknownFlags extends Error {
  override readonly name = "UnknownFlags";
  readonly unknown: readonly string[];
  readonly issues: readonly Issue[];
  /** The flags of the command. */
  readonly known: readonly string[];

  constructor(unknown: readonly string[], { issues, options }: InputCommand) {
    super(`there is no flag ${unknown[0]}`);
    this.unknown = unknown;
    this.issues = issues;
    this.known = options.flatMap(({ long }) => long ?? []);
  }
}

/** A command that goes on parsing after an invalid flag. */
export class InputCommand extends Command {
  readonly #issues = new Map<string, Issue>();
  /** Flags whose option has another path than the flag's own name. */
  readonly #flagsByPath = new Map<string, string>();

  get issues(): readonly Issue[] {
    return [...this.#issues.values()];
  }

  /** The flag of an option of this command. Other names stay as they are, and so do those of arguments. */
  readonly flagOf: NameOf = (path) =>
    this.registeredArguments.some((argument) => argument.name() === path)
      ? path
      : (this.#flagsByPath.get(path) ??
        this.options.find((option) => option.attributeName() === path)?.long ??
        path);

  override createCommand(name?: string): InputCommand {
    return new InputCommand(name);
  }

  override parseOptions(words: string[]) {
    const parsed = super.parseOptions(words);
    const end = parsed.unknown.indexOf("--");
    const flags = (end < 0 ? parsed.unknown : parsed.unknown.slice(0, end)).filter((word) =>
      /^--?[^-\d.]/.test(word),
    );
    const wantsHelp = flags.includes("--help") || flags.includes("-h");
    // The subcommands of a command report their unknown flags themselves.
    if (this.parent && this.commands.length === 0 && flags.length > 0 && !wantsHelp) {
      throw new UnknownFlags([...new Set(flags.map((flag) => flag.split("=")[0]))], this);
    }
    return parsed;
  }

  /** A flag with a value of this kind, to be added to the command. Issues are reported under `path`. */
  flag(flags: string, description: string, kind: Kind<unknown>, path?: string): Option {
    const option: Option = new Option(flags, description).argParser((text) => {
      const name = path ?? option.long ?? flags;
      const result = readText(kind, text);
      if ("problem" in result) {
        this.#issues.set(name, { path: name, code: "range", message: result.problem });
        return undefined;
      }
      this.#issues.delete(name); // the last value of a repeated flag applies
      return result.value;
    });
    if (path !== undefined && option.long) this.#flagsByPath.set(path, option.long);
    return option;
  }
}
