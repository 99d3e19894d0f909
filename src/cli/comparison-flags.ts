// The options of a comparison as flags. The module loads quickly, because `--help` needs it.

import { Option } from "commander";
import { COMPARISON_KEYS, type ComparisonInput } from "../compare/comparison-keys.ts";
import { translateNames } from "../issues.ts";
import { defaultText, type Key } from "../settings/keys.ts";
import { flagOf } from "./config-flags.ts";
import type { InputCommand } from "./input.ts";

const FLAGS = Object.entries<Key>(COMPARISON_KEYS as Readonly<Record<string, Key>>).map(([name, key]) => ({
  name,
  key,
  flag: flagOf(name),
}));

/** Adds a flag for each option. No flag has a default value, so that only given ones count. */
export function addComparisonFlags(command: InputCommand): void {
  addFlags(command, FLAGS);
  const description = "a method with settings of its own, such as kl:balance=tb,gamma=0.25; may be repeated";
  command.addOption(new Option(`${ONE_METHOD} <name:key=value,…>`, description).argParser(collect));
}

/** Adds the flags of a sweep that a comparison has too: all but methods and noise levels, which a sweep varies itself. */
export function addSharedFlags(command: InputCommand): void {
  addFlags(
    command,
    FLAGS.filter(({ name }) => !["methods", "gammas", "sticks"].includes(name)),
  );
}

/** Collects the values of a flag that may be repeated. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text];
}

function addFlags(command: InputCommand, flags: typeof FLAGS): void {
  for (const { name, key, flag } of flags) {
    const { kind, help } = key;
    const option =
      kind.argument === null
        ? new Option(flag, translateNames(help, flagOf))
        : command.flag(
            `${flag} ${kind.argument}`,
            translateNames(`${help} (default: ${defaultText(key)})`, flagOf),
            kind,
            name,
          );
    command.addOption(option);
  }
}

/** The flag that gives one method; the others are in `methods`. */
const ONE_METHOD = "--method";

/** The options of a comparison among commander's options. */
export function comparisonOfFlags(options: Readonly<Record<string, unknown>>): ComparisonInput {
  const given: ComparisonInput = Object.fromEntries(
    FLAGS.flatMap(({ name, flag }) => {
      const value = options[new Option(flag).attributeName()];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { method } = options as { readonly method?: readonly string[] };
  return method ? { ...given, methods: [...(given.methods ?? []), ...method] } : given;
}
