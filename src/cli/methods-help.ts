// The methods of comparisons and sweeps, for `--help`. The module loads quickly.

import { PPO_KEYS } from "../baselines/ppo-keys.ts";
import { EVOLUTION_KEYS } from "../baselines/search-keys.ts";
import { describeMethod, GAMMA_METHOD, METHOD_NAMES } from "../compare/method-names.ts";

export const SWEEP_HELP = `
--vary takes any setting of the method (as --method does), any option of the task that names no file, rewardExponent
and rewardFloor. Values are separated by commas, lists are in brackets. A range a..b may be followed by :log or
:linear, and by the number of its values in a grid, 5 by default: learningRate=1e-4..1e-2:log:9

gflownet sweep hypergrid --vary learningRate=1e-4..1e-2:log --vary hidden=[64],[256] --calls 100000
gflownet sweep tfbind8 --method kl-entropy --vary gamma=0.1..0.9 --vary clip=0,1 --strategy halving --samples 27 --calls 1e6
`;

export function methodsHelp(): string {
  const width = Math.max(...METHOD_NAMES.map((name) => name.length));
  const lines = METHOD_NAMES.map(
    (name) => `  ${name.padEnd(width)}  ${describeMethod({ name, settings: {} })}`,
  );
  return `
Methods:
${lines.join("\n")}

--method gives a method with settings of its own, which override those of all methods:
  --method kl:balance=tb,hidden=64,64 --method ${GAMMA_METHOD}:gamma=0.25 --method evolution:elite=64
GFlowNets take every setting of \`train\` by its config name, except rewardExponent and rewardFloor, which
decide the target. gamma is short for entropyGamma, and ${GAMMA_METHOD}:0.25 for ${GAMMA_METHOD}:gamma=0.25.
ppo also takes ${Object.keys(PPO_KEYS).join(", ")}.
Searches take batch; evolution takes ${Object.keys(EVOLUTION_KEYS).join(", ")}.`;
}
