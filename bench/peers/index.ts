// The peers benchmark measures the speed of training compared with other GFlowNet libraries, on their own environments and with
// their own losses: gfnx (JAX) and torchgfn (PyTorch).

import type { Benchmark, RunOptions } from "../benchmark.ts";
import { type Contest, interleavedRounds, measure } from "../harness.ts";
import { packageVersion } from "../machine.ts";
import { type Plan, rowsOf, select } from "../plan.ts";
import { findGfnx, findTorchgfn, type Rival } from "../python.ts";
import { workerCommand } from "../worker-command.ts";
import type { PeerWorkloadName } from "../workloads/peer-training.ts";
import { OURS, peerRow } from "./rows.ts";

/** The default width of both hidden layers in the examples of both peers. */
const HIDDEN = 256;

const PEERS = ["gfnx", "torchgfn"] as const;
type Peer = (typeof PEERS)[number];

/** The workload of each setting, and the libraries that have its environment. */
const SETTINGS: readonly {
  readonly setting: string;
  readonly workload: PeerWorkloadName;
  readonly libraries: readonly Peer[];
}[] = [
  { setting: "TFBind8, TB", workload: "peer-tfbind8-tb", libraries: ["gfnx"] },
  { setting: "hypergrid 8x8, TB", workload: "peer-grid-2d-8-tb", libraries: PEERS },
  { setting: "hypergrid 8x8, DB", workload: "peer-grid-2d-8-db", libraries: PEERS },
  { setting: "hypergrid 16x16x16x16, TB", workload: "peer-grid-4d-16-tb", libraries: PEERS },
  { setting: "hypergrid 16x16x16x16, DB", workload: "peer-grid-4d-16-db", libraries: PEERS },
];

/** The installed peers. */
export type FoundPeers = Readonly<Partial<Record<Peer, Rival>>>;

export const peers: Benchmark = {
  name: "peers",
  summary:
    "speed of training compared with the GFlowNet libraries gfnx and torchgfn, on their own environments",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 1 },
  async run(options, say) {
    const [gfnx, torchgfn] = await Promise.all([findGfnx(), findTorchgfn()]);
    say(foundLine("gfnx", gfnx, "GFLOWNET_JAX_PYTHON or GFLOWNET_PYTHON"));
    say(foundLine("torchgfn", torchgfn, "GFLOWNET_PYTHON"));
    const { contests, rows } = select(plan(options, { gfnx, torchgfn }), options.only);
    const measured = await measure(interleavedRounds(contests, options.rounds), say);
    return {
      rows: rowsOf(rows, measured),
      versions: {
        "onnxruntime-node": packageVersion("onnxruntime-node"),
        gfnx: gfnx?.version ?? null,
        torchgfn: torchgfn?.version ?? null,
      },
    };
  },
};

/** All contests and rows. Without peers, only this library is measured. */
export function plan({ seconds }: Pick<RunOptions, "seconds">, found: FoundPeers): Plan {
  const rivalsOf = (names: readonly Peer[]) =>
    names.flatMap((name) => {
      const rival = found[name];
      return rival ? [{ name, rival }] : [];
    });
  const contests = SETTINGS.map(
    ({ setting, workload, libraries }): Contest => ({
      name: setting,
      contenders: [
        ...rivalsOf(libraries).map(({ name, rival }) => ({
          name,
          command: rival.command(workload, HIDDEN, seconds),
        })),
        { name: OURS, command: workerCommand({ measurement: "rate", workload, hidden: HIDDEN, seconds }) },
      ],
      describe: ({ rate }) => `${rate.toFixed(1)} it/s`,
    }),
  );
  const installed = PEERS.filter((name) => found[name]);
  const rows =
    installed.length === 0
      ? SETTINGS.map(({ setting }) => peerRow(setting, null))
      : installed.flatMap((name) =>
          SETTINGS.filter(({ libraries }) => libraries.includes(name)).map(({ setting }) =>
            peerRow(setting, name),
          ),
        );
  return { contests, rows };
}

function foundLine(name: Peer, rival: Rival | undefined, variables: string): string {
  if (rival) return `${name} ${rival.version} found.`;
  return `${name} was not found, so its rows are left out; name a Python that can import it in ${variables}.`;
}
