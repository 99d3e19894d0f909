// The objectives of a problem file: several values of each string, with their goals, scales, weights and constraints.

import { COLUMN_NAMES } from "../formats/tables/usual-columns.ts";
import { show } from "../issues.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import type { PROBLEM_FIELDS } from "./problem-keys.ts";
import type { Report } from "./report.ts";
import type { Values } from "./shapes.ts";

type ObjectiveValues = NonNullable<Values<typeof PROBLEM_FIELDS>["objectives"]>;

/** Names of other columns in files of designs, which an objective must not have. */
const RESERVED: readonly string[] = [
  ...COLUMN_NAMES.string,
  ...["rank", "score", "uncertainty", "log_probability", "circle", "distance_to_known"],
  ...["expected_score", "expected_score_error", "meets_constraints", "plate", "well"],
];

/** Letters, digits and underscores, so that the name can be a column, a key of JSON and a word of a command. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** The objectives with their defaults; undefined if something is wrong with them, which is then reported. */
export function readObjectives(items: ObjectiveValues, report: Report): DesignObjective[] | undefined {
  const refuse = (path: string, code: string, message: string) => report.issue(path, code, message);
  const objectives = items.flatMap((item, i): DesignObjective[] => {
    if (item?.name === undefined) return [];
    const path = `objectives[${i}]`;
    const { name, goal = "maximise", weight = 1, atLeast, atMost } = item;
    const isHighGood = goal === "maximise";
    const { worst = isHighGood ? 0 : 1, best = isHighGood ? 1 : 0 } = item;
    if (!NAME.test(name)) {
      const rule = "must begin with a letter and have at most 40 letters, digits and underscores";
      refuse(`${path}.name`, "range", `${rule}, got ${show(name)}`);
    } else if (RESERVED.includes(name.toLowerCase())) {
      refuse(`${path}.name`, "conflict", `must not be ${name}, which is the name of another column`);
    }
    if (!(isHighGood ? worst < best : worst > best)) {
      const relation = isHighGood ? "below" : "above";
      refuse(path, "range", `must have a worst ${relation} best to ${goal}, got ${worst} and ${best}`);
    }
    if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
      refuse(path, "range", `must have an atLeast of at most atMost, got ${atLeast} and ${atMost}`);
    }
    return [withoutUndefined({ name, goal, weight, worst, best, atLeast, atMost })];
  });
  const names = objectives.map(({ name }) => name.toLowerCase());
  const twice = names.findIndex((name, i) => names.indexOf(name) < i);
  if (twice >= 0)
    refuse(`objectives[${twice}].name`, "conflict", `must occur once, got ${objectives[twice].name} again`);
  if (objectives.length > 0 && objectives.every(({ weight }) => weight === 0))
    refuse("objectives", "range", "must have a weight above 0 in at least one objective, got none");
  return objectives.length === items.length ? objectives : undefined;
}
