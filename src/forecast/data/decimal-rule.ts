// What to say about a text that is not a number: a comma may be a decimal sign or separate thousands, and only the user
// knows which.

import type { DecimalSign } from "./option-names.ts";

const WITH_COMMA = /^[-+]?\d+,\d+(e[-+]?\d+)?$/i;
/** Commas where separators of thousands stand, possibly with a decimal point after them. */
const THOUSANDS = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/;

/** Digits with points, and possibly commas. */
const WITH_POINT = /^[-+]?[\d,]*\.[\d.,]*$/;

/** The rule that a text breaks if it is read with this decimal sign, and the remedy if one is known. */
export function decimalRule(
  text: string,
  decimal: DecimalSign = ".",
): readonly [rule: string, remedy?: string] {
  if (decimal === ",") {
    return WITH_POINT.test(text)
      ? [
          "a number with a decimal comma and without points is needed",
          "remove points that separate thousands",
        ]
      : ["a number with a decimal comma is needed"];
  }
  if (THOUSANDS.test(text)) {
    const decimalToo = WITH_COMMA.test(text) ? ", or set `decimal` to a comma if it is a decimal sign" : "";
    return ["a number is needed", `remove commas that separate thousands${decimalToo}`];
  }
  if (WITH_COMMA.test(text)) return ["a number is needed", "set `decimal` to a comma to read decimal commas"];
  return ["a number is needed"];
}
