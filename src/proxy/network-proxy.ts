// Proxies that are neural networks over one-hot strings, on the engine. All members train in one program, on the same
// batches; a member gives weight 0 to the strings of its fold.

import { numpy as np, valueAndGrad } from "@jax-js/jax";
import { compile, type EngineName, type Program, RandomStream, spec } from "../engine/index.ts";
import { mean, standardDeviation } from "../math/statistics.ts";
import { adamW, matrixMask, optimiserStep } from "../nn/index.ts";
import { foldsOf, MEMBERS, type ProxyData, type ScoreProxy, type Tokens } from "./proxy.ts";
import { NETWORKS, type Network, type NetworkName } from "./proxy-networks.ts";
import { type TargetScale, targetScale } from "./target-scale.ts";

/** Strings of an update, and of a call that predicts. */
const [BATCH, PREDICTED] = [64, 512];
const [LEARNING_RATE, WEIGHT_DECAY, CLIP] = [2e-3, 0.05, 5];
/** Updates of a fit: as many as pass each string this often, within bounds. */
const [PASSES, LEAST_UPDATES, MOST_UPDATES] = [40, 400, 800];

/** Networks of one space of strings. The programs are compiled once and used for every fit. */
export interface NetworkProxies<N extends string = NetworkName> {
  readonly name: N;
  fit(data: ProxyData, seed: number): Promise<ScoreProxy<N>>;
  dispose(): Promise<void>;
}

/** Compiles the programs of a network for strings of up to `length` out of `tokens` letters. */
export function networkProxies(
  name: NetworkName,
  { tokens, length }: Pick<ProxyData, "tokens" | "length">,
  options: EngineOptions = {},
): Promise<NetworkProxies> {
  return proxiesOf(name, NETWORKS[name](tokens, length), length * tokens, options);
}

interface EngineOptions {
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** Proxies of any network that reads `features` numbers of one-hot strings. */
export async function proxiesOf<N extends string>(
  name: N,
  network: Network,
  features: number,
  options: EngineOptions = {},
): Promise<NetworkProxies<N>> {
  const size = MEMBERS * network.layout.size;
  const decayMask = repeated(network.layout.fill(matrixMask));
  const members = (flat: np.Array, x: np.Array): np.Array =>
    np.stack(
      np.split(flat, MEMBERS).map((own) => network.apply(own, x)),
      0,
    ); // [M, B]

  const update = await compile(
    ({ flat, m, v, step, x, y, weights, rate }: Readonly<Record<string, np.Array>>) => {
      const loss = (values: np.Array) => {
        const target = y.reshape([1, BATCH]); // [1, B]
        const error = np.subtract(members(values, x), target); // [M, B]
        return np.divide(np.sum(np.multiply(np.multiply(error, error), weights)), BATCH); // []
      };
      const [value, gradient] = valueAndGrad(loss)(flat); // [], [P]
      const optimiser = adamW({ learningRate: rate, weightDecay: WEIGHT_DECAY, decayMask });
      const next = optimiserStep(optimiser, flat, gradient, { m, v, step }, CLIP);
      return { flat: next.params, ...next.state, loss: value };
    },
    {
      flat: spec([size]),
      m: spec([size]),
      v: spec([size]),
      step: spec([], "int32"),
      x: spec([BATCH, features]),
      y: spec([BATCH]),
      weights: spec([MEMBERS, BATCH]),
      rate: spec([]),
    },
    { name: `fit ${name}`, state: ["flat", "m", "v", "step"], finite: ["loss"], ...options },
  );
  const predict = await compile(
    ({ flat, x }: Readonly<Record<string, np.Array>>) => ({ y: members(flat, x) }), // [M, B]
    { flat: spec([size]), x: spec([PREDICTED, features]) },
    { name: `predict ${name}`, ...options },
  );

  return {
    name,
    async fit(data, seed) {
      const flat = await trained(update as never, initial(network, streamOf(name, seed)), data, seed);
      const scale = scaleOf(data.scores);
      const alone = (strings: readonly Tokens[]) => predicted(predict as never, flat, strings, data, scale);
      const predictions = async (strings: readonly Tokens[]) => {
        if (!data.mirror) return alone(strings);
        const [one, other] = [await alone(strings), await alone(strings.map(data.mirror))];
        return one.map((values, member) => values.map((value, i) => (value + other[member][i]) / 2));
      };
      const fitted = await predictions(data.strings);
      const folds = foldsOf(data);
      return {
        name,
        outOfFold: Float64Array.from(data.strings, (_, i) => fitted[folds[i]][i]),
        predict: predictions,
      };
    },
    async dispose() {
      await update.dispose();
      await predict.dispose();
    },
  };
}

/** Every member starts from parameters of its own. */
function initial({ layout: { size, init } }: Network, stream: RandomStream): Float32Array {
  const flat = new Float32Array(MEMBERS * size);
  for (let member = 0; member < MEMBERS; member++) {
    flat.set(init(stream.split(`${member}`)), member * size);
  }
  return flat;
}

/** One vector of a member, once for each member. */
function repeated(own: Float32Array): Float32Array {
  const flat = new Float32Array(MEMBERS * own.length);
  for (let member = 0; member < MEMBERS; member++) flat.set(own, member * own.length);
  return flat;
}

function streamOf(name: string, seed: number): RandomStream {
  return RandomStream.fromSeed(seed).split(`proxy ${name}`);
}

/** The scale of the networks' outputs: mean 0 and deviation 1 over the scores. */
function scaleOf(scores: ArrayLike<number>): Pick<TargetScale, "scaled" | "score"> {
  const { scaled, score } = targetScale(scores);
  const all = Float64Array.from(scores, scaled);
  const [centre, width] = [mean(all), standardDeviation(all)];
  const unit = width > 0 ? width : 1;
  return {
    scaled: (given) => (scaled(given) - centre) / unit,
    score: (output) => score(centre + unit * output),
  };
}

/** The parameters of all members after a fit. */
async function trained(
  update: Program,
  start: Float32Array,
  data: ProxyData,
  seed: number,
): Promise<Float32Array> {
  const { strings, scores, tokens, length, mirror } = data;
  const folds = foldsOf(data);
  const { length: size } = start;
  update.write({
    flat: start,
    m: new Float32Array(size),
    v: new Float32Array(size),
    step: new Int32Array(1),
  } as never);
  const { scaled } = scaleOf(scores);
  const targets = Float32Array.from(scores, scaled);
  const stream = streamOf("batches", seed);
  const count = strings.length;
  const updates = Math.min(MOST_UPDATES, Math.max(LEAST_UPDATES, Math.ceil((PASSES * count) / BATCH)));
  const order = Int32Array.from(strings, (_, i) => i);
  let used = count;
  for (let t = 0; t < updates; t++) {
    const x = new Float32Array(BATCH * length * tokens);
    const y = new Float32Array(BATCH);
    const weights = new Float32Array(MEMBERS * BATCH).fill(1);
    for (let row = 0; row < BATCH; row++) {
      if (used === count) {
        shuffle(order, stream);
        used = 0;
      }
      const i = order[used++];
      const string = mirror && stream.uniform() < 0.5 ? mirror(strings[i]) : strings[i];
      writeOneHot(x, row, string, tokens, length);
      y[row] = targets[i];
      weights[folds[i] * BATCH + row] = 0;
    }
    // A cosine from the learning rate to 0.
    const rate = Float32Array.of((LEARNING_RATE * (1 + Math.cos((Math.PI * t) / updates))) / 2);
    await update.run({ x, y, weights, rate } as never);
  }
  return (await update.read("flat" as never)) as Float32Array;
}

async function predicted(
  program: Program,
  flat: Float32Array,
  strings: readonly Tokens[],
  { tokens, length }: ProxyData,
  { score }: Pick<TargetScale, "score">,
): Promise<Float64Array[]> {
  const result = Array.from({ length: MEMBERS }, () => new Float64Array(strings.length));
  for (let start = 0; start < strings.length; start += PREDICTED) {
    const some = strings.slice(start, start + PREDICTED);
    const x = new Float32Array(PREDICTED * length * tokens);
    some.forEach((string, row) => {
      writeOneHot(x, row, string, tokens, length);
    });
    const { y } = await program.run({ flat, x });
    for (let member = 0; member < MEMBERS; member++) {
      for (let row = 0; row < some.length; row++) {
        result[member][start + row] = score(y[member * PREDICTED + row]);
      }
    }
  }
  return result;
}

function writeOneHot(x: Float32Array, row: number, string: Tokens, tokens: number, length: number): void {
  for (let t = 0; t < string.length; t++) x[(row * length + t) * tokens + string[t]] = 1;
}

function shuffle(order: Int32Array, stream: RandomStream): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = stream.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
}
