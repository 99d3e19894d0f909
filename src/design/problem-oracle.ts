// The oracle of a problem: what its file names, made ready to score strings.

import { readRegularFile } from "../disk/regular-file.ts";
import { TableError } from "../formats/tables/table-error.ts";
import { fileProblem, UserError } from "../issues.ts";
import { ehrlichLandscape } from "../landscapes/ehrlich.ts";
import { generateEhrlich } from "../landscapes/ehrlich-generator.ts";
import { parseEhrlich } from "../landscapes/ehrlich-instance.ts";
import type { Landscape } from "../landscapes/landscape.ts";
import { landscapeOracle } from "../landscapes/landscape-oracle.ts";
import { nkLandscape } from "../landscapes/nk.ts";
import { httpOracle } from "../oracle/http-oracle.ts";
import { moduleOracle } from "../oracle/module-oracle.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { programOracle } from "../oracle/program-oracle.ts";
import { tableOracle } from "../oracle/table-oracle.ts";
import { stringReader } from "../problem/alphabet.ts";
import type { LandscapeSpec, Problem } from "../problem/problem.ts";

const MILLISECONDS = 1000;
/** Bytes of a file with Ehrlich instances. */
const LARGEST_INSTANCES = 2 ** 26;

/** The oracle of a problem and, if it is built in, its landscape. Loading a module runs it: check the permissions first.
 * @param onProblem Is told at once why a batch got no answers, as one sentence, before it is asked again.
 * @param signal Ends the loading of a module. */
export async function problemOracle(
  problem: Pick<Problem, "oracle" | "alphabet" | "space" | "folder" | "objectives">,
  onProblem?: (message: string) => void,
  signal?: AbortSignal,
): Promise<{ readonly oracle: Oracle | null; readonly landscape: Landscape | null }> {
  const { oracle: spec, folder, space, objectives } = problem;
  const none = { landscape: null };
  if (spec === null) return { oracle: null, ...none };
  const { version } = spec;
  switch (spec.kind) {
    case "program": {
      const { command, batch, workers: processes, retries, timeout } = spec;
      const protocol = spec.protocol === "lines" ? "plain-lines" : "json-lines";
      const timeLimit = timeout && timeout * MILLISECONDS;
      const oracle = await programOracle({
        ...{ command, protocol, batch, processes, retries, timeLimit, folder, version, objectives },
        onProblem: (text) => onProblem?.(`${command.join(" ")}: ${text}`),
      });
      return { oracle, ...none };
    }
    case "module": {
      const { file, batch, timeout } = spec;
      const timeLimit = timeout && timeout * MILLISECONDS;
      const oracle = await moduleOracle({
        ...{ file, batch, timeLimit, version, objectives, signal },
        onProblem: (text) => onProblem?.(`the module ${file}: ${text}`),
      });
      return { oracle, ...none };
    }
    case "table": {
      const { file, string: stringColumn, score: scoreColumn } = spec;
      const read = readerOf(problem);
      const opening = tableOracle({ file, stringColumn, scoreColumn, version, read, objectives });
      return { oracle: await opening.catch(withKeys), ...none };
    }
    case "http": {
      const { url, batch, concurrency, retries, rate: requestsPerSecond, timeout } = spec;
      const timeLimit = timeout && timeout * MILLISECONDS;
      const limits = { batch, concurrency, retries, requestsPerSecond, timeLimit, objectives };
      return { oracle: httpOracle({ url, ...limits, version, onProblem }), ...none };
    }
    case "landscape": {
      const landscape = await landscapeOf(spec.landscape, problem);
      return { oracle: landscapeOracle(landscape, space.tokens), landscape };
    }
    default:
      return spec satisfies never;
  }
}

/** Strings over a named alphabet may be written in lower case, and with U for T; other texts are no designs, and stay. */
function readerOf({ alphabet }: Pick<Problem, "alphabet">): (text: string) => string {
  const read = stringReader(alphabet);
  return (text) => {
    try {
      return read(text).string;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return text;
    }
  };
}

/** Names the keys of the problem file instead of the options of the table. */
function withKeys(error: unknown): never {
  if (!(error instanceof UserError)) throw error;
  const keys: Readonly<Record<string, string>> = {
    stringColumn: "oracle.string",
    scoreColumn: "oracle.score",
  };
  const issues = error.issues.map((issue) =>
    // No key gives the format.
    issue.path === "format" && error instanceof TableError
      ? { ...issue, path: "oracle.table", message: error.problem }
      : { ...issue, path: keys[issue.path] ?? issue.path },
  );
  throw new UserError(issues, { source: error.source, cause: error });
}

/** The built-in landscape of a problem; null if something else scores its strings. */
export async function problemLandscape({
  oracle,
  space,
}: Pick<Problem, "oracle" | "space">): Promise<Landscape | null> {
  return oracle?.kind === "landscape" ? landscapeOf(oracle.landscape, { space }) : null;
}

async function landscapeOf(spec: LandscapeSpec, { space }: Pick<Problem, "space">): Promise<Landscape> {
  const { min, max } = space.length;
  if (min !== max) {
    throw new UserError(
      `a landscape scores strings of one length, so \`length\` must be one number, got ${min} to ${max}`,
    );
  }
  const letters = space.tokens.length;
  if (spec.family === "nk") {
    return nkLandscape({ letters, length: max, neighbours: spec.k, seed: spec.seed });
  }
  if ("file" in spec) {
    const { file, instance: index } = spec;
    const bytes = await readRegularFile(file, LARGEST_INSTANCES).catch((error: unknown) => {
      throw new UserError(`${file} cannot be read: ${fileProblem(error)}`, { cause: error });
    });
    const landscape = ehrlichLandscape(parseEhrlich(String(bytes), { index, source: file }), file);
    if (landscape.letters !== letters || landscape.length !== max) {
      throw new UserError(
        `the instance of ${file} has strings of ${landscape.length} out of ${landscape.letters} letters, but the problem has ${max} out of ${letters}; change its \`alphabet\` and \`length\``,
      );
    }
    return landscape;
  }
  const { motifs, motifLength, quantization, seed } = spec;
  return ehrlichLandscape(
    generateEhrlich({ states: letters, length: max, motifs, motifLength, quantization, seed }),
  );
}
