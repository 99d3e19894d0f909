// An oracle that is any program: one or several processes that stay alive and score batches of strings.

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readRegularFile } from "../disk/regular-file.ts";
import { UserError } from "../issues.ts";
import { askRepeatedly, checkWholeNumbers, Patience } from "./attempts.ts";
import { childEnvironment } from "./child-environment.ts";
import { ChildProgram } from "./child-program.ts";
import { type DesignObjective, versionFor } from "./design-objectives.ts";
import { type Answer, DeadOracleError, type Oracle, OracleError } from "./oracle.ts";
import { exchange } from "./program-exchange.ts";
import { PROGRAM_PROTOCOLS, type ProgramProtocol, unsendable } from "./program-protocols.ts";
import { Slots } from "./slots.ts";

/** Options of `programOracle`. */
export interface ProgramOracleOptions {
  /** The program and its arguments; no shell is involved. `splitCommand` makes it from a text. */
  readonly command: readonly string[];
  /** Default: json-lines. */
  readonly protocol?: ProgramProtocol;
  /** How many processes run at once. Default: 1. */
  readonly processes?: number;
  /** Most strings of a batch. Default: 64. */
  readonly batch?: number;
  /** Longest wait for the next answer, in milliseconds. Default: 60,000. */
  readonly timeLimit?: number;
  /** How often a batch is asked again if the program crashes, hangs or breaks the protocol. Default: 2. */
  readonly retries?: number;
  /** The working folder of the program. Default: that of this process. */
  readonly folder?: string;
  /** Environment variables for the program, in addition to the few that it gets anyway. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: a hash of the command and of the files that it names. */
  readonly version?: string;
  /** What the values of an answer are, if the program gives several. Default: one score. */
  readonly objectives?: readonly DesignObjective[];
  /** Is told at once why a batch got no answers, before it is asked again. */
  readonly onProblem?: (problem: string) => void;
}

/** Largest file of a command whose content counts for its version. */
const MAX_HASHED = 2 ** 24;

/** An oracle from a program. No process starts before the first string is asked. */
export async function programOracle(options: ProgramOracleOptions): Promise<Oracle> {
  const { command, protocol = "json-lines", processes = 1, batch = 64 } = options;
  const { timeLimit = 60_000, retries = 2, folder, environment, objectives, onProblem } = options;
  checkWholeNumbers({
    ...{ processes: [processes, 1], batch: [batch, 1], timeLimit: [timeLimit, 1], retries: [retries, 0] },
  });
  if (!PROGRAM_PROTOCOLS.includes(protocol)) {
    throw new UserError(`the protocol must be one of ${PROGRAM_PROTOCOLS.join(", ")}, got ${protocol}`);
  }
  if (command.length === 0 || command[0] === "")
    throw new UserError("a command must name a program, got none");
  const label = command.join(" ");
  const version = versionFor(objectives, options.version ?? (await versionOf(options)));
  const slots = new Slots(processes);
  const idle: ChildProgram[] = [];
  const all = new Set<ChildProgram>();
  const patience = new Patience(label);
  /** Processes whose first batch had as many plain lines as strings. */
  const proved = new WeakSet<ChildProgram>();
  /** The pause between two plain lines, as the last batch showed it. */
  let usualPause: number | undefined;
  let brokeProtocol = false;
  let isClosed = false;

  function start(): ChildProgram {
    const program = new ChildProgram({
      ...{ command, folder, environment: childEnvironment(process.env, environment) },
    });
    all.add(program);
    return program;
  }

  /** A process that has not ended. */
  function takeProcess(): ChildProgram {
    for (let program = idle.pop(); program !== undefined; program = idle.pop()) {
      if (program.problem === null) return program;
      brokeProtocol ||= program.printedUnasked;
      all.delete(program);
    }
    return start();
  }

  async function ask(strings: readonly string[], signal: AbortSignal | undefined) {
    if (isClosed) throw new OracleError(`${label} was closed`);
    const program = takeProcess();
    const isProved = proved.has(program) && !brokeProtocol;
    const attempt = await exchange(program, strings, {
      ...{ protocol, timeLimit, isProved, usualPause, objectives, signal },
    });
    brokeProtocol ||= attempt.brokeProtocol;
    if (attempt.problem === null) {
      proved.add(program);
      usualPause = attempt.pause ?? usualPause;
    }
    if (program.problem === null) idle.push(program);
    else all.delete(program);
    if (program.cannotStart) {
      const message = `${program.problem}; check the command of the oracle`;
      throw patience.hasAnswered ? new OracleError(message) : new DeadOracleError(message);
    }
    return attempt;
  }

  return {
    label,
    version,
    batch,
    concurrency: processes,
    // After each batch of plain lines, the program must be silent for a while.
    prefersLargeBatches: protocol === "plain-lines",
    async score(strings, signal) {
      const refused = new Map<string, Answer>();
      for (const string of strings) {
        const failure = unsendable(protocol, string);
        if (failure !== null) refused.set(string, { failure });
      }
      const sent = strings.filter((string) => !refused.has(string));
      const answers = await slots.run(
        () => askRepeatedly(sent, (some) => ask(some, signal), { retries, onProblem, patience }),
        signal,
      );
      let next = 0;
      return strings.map((string) => refused.get(string) ?? answers[next++]);
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map((program) => program.close()));
      all.clear();
    },
  };
}

/** A hash of the protocol, the command, and the files that it names, such as a script. */
async function versionOf({ command, protocol, folder = "." }: ProgramOracleOptions): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([protocol ?? "json-lines", command]));
  for (const word of command) {
    const path = resolve(folder, word);
    const info = await stat(path).catch(() => null);
    if (!info?.isFile()) continue;
    hash.update(
      info.size <= MAX_HASHED
        ? await readRegularFile(path, MAX_HASHED)
        : JSON.stringify([info.size, info.mtimeMs]),
    );
  }
  return hash.digest("hex").slice(0, 16);
}
