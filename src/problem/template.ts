// Templates such as AC??GT: what each position of a string may hold.

import type { Constraint } from "../constraints/constraint.ts";
import { lengthText } from "../constraints/space.ts";
import { show } from "../issues.ts";
import type { ConstraintContext, ConstraintValues } from "./constraints.ts";

const PATH = "constraints.template";

/** Any token, and any number of tokens. */
const [ANY, REST] = ["?", "*"];

/** The tokens that a position allows; null for any, and "rest" for any number of positions. */
type Place = readonly number[] | null | "rest";

export function readTemplate(
  given: NonNullable<ConstraintValues["template"]>,
  context: ConstraintContext,
): Constraint[] {
  const places = typeof given === "string" ? placesOfText(given, context) : placesOfList(given, context);
  if (!places) return [];
  const filled = withoutRest(places, context);
  if (!filled) return [];
  const name = `template ${typeof given === "string" ? given : JSON.stringify(given)}`;
  const size = context.alphabet.tokens.length;
  const pattern = filled.pattern.map((place) => (place?.length === size ? null : place));
  return [{ kind: "template", pattern, ...(filled.open && { open: true }), name }];
}

function placesOfText(text: string, { alphabet, letters, report }: ConstraintContext): Place[] | undefined {
  const sign = [ANY, REST].find((each) => alphabet.tokens.some((token) => token.includes(each)));
  if (sign !== undefined) {
    report.issue(PATH, "conflict", `must be a list of tokens, because the alphabet itself has ${sign}`);
    return undefined;
  }
  const parts = text.split(/([?*])/).filter((part) => part !== "");
  const places = parts.map((part): readonly Place[] | undefined => {
    if (part === ANY) return [null];
    return part === REST ? ["rest"] : letters.sets(part, PATH);
  });
  return places.includes(undefined) ? undefined : (places as (readonly Place[])[]).flat();
}

function placesOfList(
  items: Exclude<NonNullable<ConstraintValues["template"]>, string>,
  { letters, report, alphabet }: ConstraintContext,
): Place[] | undefined {
  const places = items.map((item, i): Place | undefined => {
    const path = `${PATH}[${i}]`;
    if (item === undefined) return undefined;
    if (typeof item !== "string") return letters.tokenSet(item, path);
    const isSign = !alphabet.tokens.includes(item);
    if (item === ANY && isSign) return null;
    if (item === REST && isSign) return "rest";
    const sets = letters.sets(item, path);
    if (!sets || sets.length === 1) return sets?.[0];
    report.issue(path, "letters", `must be one token, or a list such as [A, G], got ${show(item)}`);
    return undefined;
  });
  return places.includes(undefined) ? undefined : (places as Place[]);
}

/** Replaces the rest: at the end it leaves the template open, elsewhere it fills a string of fixed length. */
function withoutRest(
  places: readonly Place[],
  { space: { length }, report }: ConstraintContext,
): { readonly pattern: readonly (readonly number[] | null)[]; readonly open: boolean } | undefined {
  const refuse = (message: string) => report.issue(PATH, "range", message) as undefined;
  const rests = places.filter((place) => place === "rest").length;
  if (rests > 1) return refuse(`must have at most one *, got ${rests}`);
  const at = places.indexOf("rest");
  const open = rests === 1 && at === places.length - 1;
  const fixed = places.filter((place) => place !== "rest");
  if (rests === 1 && !open && length.min !== length.max) {
    return refuse("must have its * at the end, because the length is variable");
  }
  const least = rests === 1 ? 0 : length.min;
  if (fixed.length < least || fixed.length > length.max) {
    const remedy = fixed.length < least ? "; end it with * to leave the rest open" : "";
    return refuse(
      `must have ${rests === 1 ? `at most ${length.max} positions` : lengthText(length)}, got ${fixed.length}${remedy}`,
    );
  }
  if (open || rests === 0) return { pattern: fixed, open };
  const filling = Array.from({ length: length.max - fixed.length }, () => null);
  return { pattern: [...fixed.slice(0, at), ...filling, ...fixed.slice(at)], open: false };
}
