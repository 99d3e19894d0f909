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
  for (const { name, key, flag } of FLAGS) {
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
  const description = "a method with settings of its own, such as kl:balance=tb,gamma=0.25; may be repeated";
  const collect = (text: string, previous: readonly string[] = []) => [...previous, text];
  command.addOption(new Option(`${ONE_METHOD} <name:key=value,…>`, description).argParser(collect));
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
