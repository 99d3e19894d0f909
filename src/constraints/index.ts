// Constraints on strings: what they mean, and the automaton that builds only strings that meet them.

export { type Automaton, isAccepted, nodeCount, nodesAlong } from "./automaton.ts";
export { type CompileOptions, compileConstraints, MOST_STATES } from "./compile.ts";
export {
  type Composition,
  type Constraint,
  constraintIssues,
  constraintText,
  type ForbiddenMotif,
  type Homopolymer,
  type Mutations,
  type Pairs,
  type RequiredMotif,
  type Template,
} from "./constraint.ts";
export { approximateCount, countStrings, listStrings, type StringSampler, uniformSampler } from "./count.ts";
export { type KeptLetters, possibleTokens } from "./kept-letters.ts";
export { intendedAutomaton, restrictAutomaton, templatePlace } from "./restrict.ts";
export { lengthText, type SequenceSpace, spaceIssues } from "./space.ts";
export { ambiguousText, type TokenText, tokenText } from "./token-text.ts";
export { type Violation, violationOf } from "./violation.ts";
