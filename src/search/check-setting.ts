// Checks of the numbers among the settings of a search.

/** Throws a RangeError unless a number is in the range. */
export function checkSetting(
  where: string,
  name: string,
  value: number,
  { above = Number.NEGATIVE_INFINITY, from = Number.NEGATIVE_INFINITY, to = Number.MAX_VALUE, whole = false },
): void {
  if (value > above && value >= from && value <= to && (!whole || Number.isInteger(value))) return;
  const rules = [
    ...(above > Number.NEGATIVE_INFINITY ? [`above ${above}`] : []),
    ...(from > Number.NEGATIVE_INFINITY ? [`at least ${from}`] : []),
    ...(to < Number.MAX_VALUE ? [`at most ${to}`] : []),
  ];
  throw new RangeError(
    `${where}: ${name} must be a ${whole ? "whole" : "finite"} number ${rules.join(" and ")}, got ${value}`,
  );
}
