// The commands of a queue: `worker` and `queue`.

import type { Option } from "commander";
import { listOf, number, text } from "../settings/kinds.ts";
import type { InputCommand } from "./input.ts";

/** How `main.ts` declares flags and checks their values. */
export interface Declarations {
  command(name: string, description: string): InputCommand;
  whole(command: InputCommand, flags: string, help: string, least?: number, most?: number): Option;
  named(command: InputCommand, flags: string, help: string): Option;
  check(issues: InputCommand["issues"]): Promise<void>;
}

const QUEUE_HELP =
  "the queue: redis://HOST:6379 or postgresql://USER@HOST/DATABASE without a password, or a file with the URL and its secrets";

/** Help of the flag of commands that can run on a queue. */
export const QUEUE_FLAG_HELP = `run on workers instead of processes of this machine; ${QUEUE_HELP}`;

/** The flag of commands that can run on a queue. */
export function queueOption(command: InputCommand, { named }: Pick<Declarations, "named">): Option {
  return named(command, "--queue <url>", QUEUE_FLAG_HELP);
}

export function registerQueue({ command, whole, named, check }: Declarations): void {
  const worker = command("worker", "run units of work of other commands: takes them from a queue");
  worker
    .addOption(named(worker, "--queue <url>", QUEUE_HELP).makeOptionMandatory())
    .addOption(
      whole(
        worker,
        "--slots <n>",
        "units at a time, each in a process of its own (default: the number of cores)",
      ),
    )
    .addOption(named(worker, "--data <folder>", "folder with the files that units name by their SHA-256"))
    .addOption(
      worker.flag(
        "--problem <files>",
        "problem files, separated by commas, whose oracles this worker runs; it then takes no other units",
        listOf(text()),
      ),
    )
    .option("--allow-exec", "allow the problem files to run their program or module")
    .addOption(
      worker.flag("--memory <gib>", "most memory of a unit in GiB (default: no limit)", number({ above: 0 })),
    )
    .addOption(worker.flag("--time <s>", "most seconds of a unit (default: no limit)", number({ above: 0 })))
    .option("--until-idle", "end when the queue is empty, or after a minute if it always was")
    .addOption(
      worker.flag(
        "--lock-seconds <s>",
        "seconds after which a unit of a worker that is gone is given to another one (default: 10)",
        number({ above: 0 }),
      ),
    )
    .addOption(
      named(
        worker,
        "--spool <folder>",
        "folder for results that the broker does not have yet (default: in the user's cache)",
      ),
    )
    .option("--json", "print each event as one line of JSON")
    .option("--quiet", "print nothing but errors")
    .action(async (options) => {
      await check(worker.issues);
      await (await import("./commands/worker.ts")).worker(options);
    });

  const queue = command("queue", "look at a queue, try failed units again, empty it, or measure it");
  const sub = (name: string, description: string): InputCommand => {
    const each = queue.command(name).description(description) as InputCommand;
    each
      .addOption(named(each, "--queue <url>", QUEUE_HELP).makeOptionMandatory())
      .option("--json", "print one JSON object");
    return each;
  };
  const problem = (each: InputCommand) =>
    each.addOption(
      named(each, "--problem <file>", "the queue of a problem file instead of the one of this version"),
    );
  for (const [name, description, run] of [
    ["status", "count units and workers", "queueStatus"],
    ["retry", "run failed units again", "queueRetry"],
    ["drain", "remove all units and every key of the queue", "queueDrain"],
  ] as const) {
    const each = sub(name, description);
    problem(each);
    each.action(async (options) => {
      await check(each.issues);
      await (await import("./commands/queue.ts"))[run](options);
    });
  }
  const test = sub("test", "send units that only wait, and print what the queue costs");
  test
    .addOption(whole(test, "--units <n>", "number of units").default(100))
    .addOption(test.flag("--wait <s>", "seconds that each unit waits (default: 0)", number({ from: 0 })))
    .action(async (options) => {
      await check(test.issues);
      await (await import("./commands/queue.ts")).queueTest({ wait: 0, ...options });
    });
}
