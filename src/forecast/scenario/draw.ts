// Paths drawn from a steered policy, with what they weigh: importance weights make up for all that tuning has missed.
//
// A share of the paths is drawn from the law itself. So a weight is never above 1 / share times that of plain drawing,
// and no part of the target is forgotten, however the tuning went.

import { compile, type EngineName, type RandomStream, type TypedArray } from "../../engine/index.ts";
import type { FlowModel } from "../flow/model.ts";
import { drawProgram, LAW, PLAN, POLICY } from "./draw-program.ts";
import type { Target } from "./steered.ts";

/** Paths of one context. */
export interface DrawnPaths {
  /** n tokens each. */
  readonly tokens: readonly Int32Array[];
  /** β log likelihood less log of what the path was drawn from. */
  readonly logWeights: Float64Array;
  /** β log likelihood of what follows; 0 where nothing does. */
  readonly logAfter: Float64Array;
  /** log of the probability that the tokens meet the condition, softened; 0 where there is none. */
  readonly logMet: Float64Array;
  /** log F of the start, as it was learned. */
  readonly logFlow: number;
  /** Only where there is noise. */
  readonly plans?: {
    /** β log likelihood less log of the probability that the path comes of a plan, whatever it was drawn from. */
    readonly logWeights: Float64Array;
    /** n tokens each; those of a path that came of no plan are what would be intended on its way. */
    readonly intended: readonly Int32Array[];
  };
}

/** What is drawn for: arrays of a context by name. */
type Context = Readonly<Record<string, TypedArray>>;

export interface PathDrawer {
  /** `share` of the paths come from the law, the others from the policy. */
  draw(
    params: Float32Array,
    context: Context,
    count: number,
    share: number,
    stream: RandomStream,
  ): Promise<DrawnPaths>;
  /** All paths come of plans: the best intentions for what the policy wants, and what noise makes of them. */
  realise(params: Float32Array, context: Context, count: number, stream: RandomStream): Promise<DrawnPaths>;
  dispose(): Promise<void>;
}

/** Paths of one call, unless told. */
const ROWS = 512;

export interface PathDrawerOptions {
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Probability that any token comes instead of the intended one; 0 unless told. */
  readonly noise?: number;
  /** R: paths of one call. */
  readonly rows?: number;
}

export async function pathDrawer(
  model: FlowModel,
  target: Target,
  { engine, threads, noise = 0, rows: R = ROWS }: PathDrawerOptions = {},
): Promise<PathDrawer> {
  const { steps: n } = target;
  const { run, example, names } = drawProgram(model, target, noise, R);
  const program = await compile(run, example, { name: "scenarios", engine, threads });
  const [uniforms, chances] = [0, 0].map(() => new Float32Array(n * R));

  type Said = Readonly<Record<string, TypedArray>>;
  /** `from` says what a path is drawn from, `logProbability` how likely it was, from what is said of its row. */
  async function paths(
    [params, context, count, stream]: readonly [Float32Array, Context, number, RandomStream],
    from: (path: number) => number,
    logProbability: (said: Said, row: number) => number,
  ): Promise<DrawnPaths> {
    const [tokens, intended]: Int32Array[][] = [[], []];
    const [logWeights, logAfter, logMet, planned] = [0, 0, 0, 0].map(() => new Float64Array(count));
    let logFlow = 0;
    for (let start = 0; start < count; start += R) {
      const said: Said = await program.run({
        params,
        from: Float32Array.from({ length: R }, (_, row) => from(start + row)),
        uniforms: stream.fillUniform(uniforms),
        ...(noise > 0 && { chances: stream.fillUniform(chances) }),
        ...Object.fromEntries(names.map((name) => [`input.${name}`, context[name]])),
      });
      logFlow = said.flow[0];
      const tokensAt = (all: TypedArray, row: number) => (all as Int32Array).slice(row * n, (row + 1) * n);
      for (let row = 0; row < Math.min(R, count - start); row++) {
        tokens.push(tokensAt(said.tokens, row));
        logWeights[start + row] = said.logLaw[row] - logProbability(said, row);
        logAfter[start + row] = said.logAfter[row];
        logMet[start + row] = said.logMet[row];
        if (noise === 0) continue;
        intended.push(tokensAt(said.intended, row));
        planned[start + row] = said.logLaw[row] - said.logPlan[row];
      }
    }
    const plans = noise > 0 ? { logWeights: planned, intended } : undefined;
    return { tokens, logWeights, logAfter, logMet, logFlow, plans };
  }

  return {
    draw(params, context, count, share, stream) {
      const plain = Math.round(share * count);
      // With one kind of paths only, the other is not part of the mixture.
      const [logPlain, logOwn] = [Math.log(plain / count), Math.log(1 - plain / count)];
      return paths(
        [params, context, count, stream],
        (path) => (path < plain ? LAW : POLICY),
        ({ logBase, logPolicy }, row) => logSum(logPlain + logBase[row], logOwn + logPolicy[row]),
      );
    },
    realise(params, context, count, stream) {
      if (noise === 0) throw new TypeError("scenario: internal: plans are drawn only where there is noise");
      return paths(
        [params, context, count, stream],
        () => PLAN,
        ({ logPlan }, row) => logPlan[row],
      );
    },
    dispose: () => program.dispose(),
  };
}

/** log(eᵃ + eᵇ), where one may be −∞. */
function logSum(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + Math.log(Math.exp(a - most) + Math.exp(b - most));
}
