// Fits the proxies that suit the data, and believes the one with the smallest error on strings that its members did not see,
// together with all that are not distinguishably worse: their errors are within one standard error of the smallest. With
// few scores these are often several, and the members of all of them are used.
//
// What predicts known strings best need not be what leads to better ones: a model of their common letters describes a family
// of similar strings well, and says nothing about others. So the best proxy of each other kind is a hypothesis that the search
// for new strings follows too, if it is not much worse.

import type { EngineName } from "../engine/index.ts";
import { mean, standardError, variance } from "../math/statistics.ts";
import { kernelProxy } from "./kernel-proxy.ts";
import { kmerProxy } from "./kmer-proxy.ts";
import type { MotifModel } from "./motif-model.ts";
import { type MotifProxy, motifProxy } from "./motif-proxy.ts";
import { type NetworkProxies, networkProxies } from "./network-proxy.ts";
import { MEMBERS, type ProxyData, type ProxyName, type ScoreProxy, type Tokens } from "./proxy.ts";
import { NETWORKS, type NetworkName } from "./proxy-networks.ts";
import { targetScale } from "./target-scale.ts";

/** A proxy that was tried, and how well it predicts strings that its members did not see. */
export interface TriedProxy {
  readonly name: ProxyName;
  /** Mean squared error, on the scale of regressions (`targetScale`). */
  readonly error: number;
  /** Share of the variance of the scores that the predictions explain. */
  readonly explained: number;
  /** Whether its members are used. */
  readonly isBelieved: boolean;
  /** Whether a part of the search follows some of its members, though it is not believed. */
  readonly isHypothesis: boolean;
}

/** The members of the believed proxies, and all proxies that were tried. */
export interface ChosenProxy {
  /** The believed proxies. It has the name of the best one. */
  readonly proxy: ScoreProxy;
  /** The predictions of some members of the proxies that are hypotheses, [members][strings]. */
  hypotheses(strings: readonly Tokens[]): Promise<readonly Float64Array[]>;
  readonly tried: readonly TriedProxy[];
  /** The motif products of this fit, which the next one starts from; null if they are neither believed nor a hypothesis. */
  readonly motifs: readonly MotifModel[] | null;
}

/** Most strings of the linear and pairwise proxies, whose time grows with the third power of their number; networks are as
 * good with more. */
const MOST_KERNEL = 400;
/** Fewest strings for proxies other than the linear and the pairwise one. */
const FEWEST_FOR_ALL = 16;
/** A proxy that explains this share leaves nothing to networks. */
const ENOUGH = 0.98;
/** Proxies of one kind describe the same: letters of positions, substrings wherever they are, or products of motifs. */
const KINDS: Readonly<Record<ProxyName, "positions" | "substrings" | "products">> = {
  linear: "positions",
  pairwise: "positions",
  mlp: "positions",
  kmers: "substrings",
  convolution: "substrings",
  motifs: "products",
};
/** A hypothesis explains at most this share of the variance less than the best proxy. Some of its members are used. */
const [WORSE, HYPOTHESIS_MEMBERS] = [0.3, MEMBERS / 2];

/** An earlier fit: the proxies that were tried, and on how many strings. */
export interface EarlierFit {
  readonly tried: readonly TriedProxy[];
  readonly fitted: number;
}

/** Networks that were not believed are tried again when there are this many times as many strings. */
const GROWTH = 1.5;

/** Fits proxies for strings of one space. Networks are compiled once. */
export interface ProxyFitter {
  /** `motifs` are those of an earlier fit, and `earlier` are all earlier fits. */
  fit(
    data: ProxyData,
    options: {
      readonly seed: number;
      readonly motifs?: readonly MotifModel[] | null;
      readonly earlier?: readonly EarlierFit[];
    },
  ): Promise<ChosenProxy>;
  dispose(): Promise<void>;
}

export function proxyFitter(
  space: Pick<ProxyData, "tokens" | "length">,
  engine: { readonly engine?: EngineName; readonly threads?: number } = {},
): ProxyFitter {
  const networks = new Map<string, Promise<NetworkProxies>>();
  const networksOf = (name: NetworkName) => {
    const compiled = networks.get(name) ?? networkProxies(name, space, engine);
    networks.set(name, compiled);
    return compiled;
  };
  return {
    async fit(given, { seed, motifs = null, earlier = [] }) {
      const data = { ...given, mirror: given.mirror && isMirrored(given) ? given.mirror : null };
      const fitted: ScoreProxy[] = [];
      let isEnough = false;
      for (const name of suitable(data, motifs !== null)) {
        if (isNetwork(name) && (isEnough || isResting(name, earlier, data.strings.length))) continue;
        const proxy =
          name === "motifs"
            ? motifProxy(data, seed, motifs)
            : isNetwork(name)
              ? await (await networksOf(name)).fit(data, seed)
              : name === "kmers"
                ? kmerProxy(data)
                : kernelProxy(name, data);
        if (!proxy) continue;
        fitted.push(proxy);
        isEnough ||= 1 - mean(squaredErrors(proxy, data)) / spread(data) > ENOUGH;
      }
      const tried = compared(fitted, data);
      const found = fitted.find(
        (proxy, i): proxy is MotifProxy =>
          proxy.name === "motifs" && (tried[i].isBelieved || tried[i].isHypothesis),
      );
      return {
        proxy: combined(fitted, tried),
        hypotheses: async (strings) => {
          const members: Float64Array[] = [];
          for (const [i, proxy] of fitted.entries()) {
            if (!tried[i].isHypothesis) continue;
            members.push(...(await proxy.predict(strings)).slice(0, HYPOTHESIS_MEMBERS));
          }
          return members;
        },
        tried,
        motifs: found?.models ?? null,
      };
    },
    async dispose() {
      for (const compiled of networks.values()) await (await compiled).dispose();
      networks.clear();
    },
  };
}

function isNetwork(name: ProxyName): name is NetworkName {
  return name in NETWORKS;
}

/** The proxies to try, in an order in which the first ones spare time: the others may be worse than the linear and the
 * pairwise one, or motifs may explain everything. With many strings, motifs only go on from an earlier fit. */
function suitable({ strings }: ProxyData, hasMotifs: boolean): ProxyName[] {
  const isSmall = strings.length <= MOST_KERNEL;
  const few: readonly ProxyName[] = isSmall ? ["linear", "pairwise"] : [];
  if (strings.length < FEWEST_FOR_ALL) return [...few];
  const motifs: readonly ProxyName[] = isSmall || hasMotifs ? ["motifs"] : [];
  return [...few, "kmers", ...motifs, "mlp", "convolution"];
}

/** Whether a proxy was not believed when it was tried last, and there are not many more strings now. */
function isResting(name: ProxyName, earlier: readonly EarlierFit[], strings: number): boolean {
  const last = earlier.findLast(({ tried }) => tried.some((each) => each.name === name));
  const isBelieved = last?.tried.some((each) => each.name === name && each.isBelieved);
  return last !== undefined && !isBelieved && strings < GROWTH * last.fitted;
}

/** Whether mirrored strings have equal scores: the proxy of k-mers that takes them for equal predicts the latest strings
 * better, by more than a standard error. */
export function isMirrored({ strings, scores, ...space }: ProxyData): boolean {
  if (strings.length < FEWEST_FOR_ALL) return false;
  const latest = { strings: strings.slice(-MOST_KERNEL), scores: Array.from(scores).slice(-MOST_KERNEL) };
  const errorsWith = (mirror: ProxyData["mirror"]) => {
    const data = { ...space, ...latest, mirror };
    return squaredErrors(kmerProxy(data), data);
  };
  const [apart, together] = [errorsWith(null), errorsWith(space.mirror)];
  const gain = apart.map((square, i) => square - together[i]);
  return mean(gain) > standardError(gain);
}

/** The errors of all proxies, which of them are believed, and which are hypotheses. */
export function compared(proxies: readonly ScoreProxy[], data: ProxyData): TriedProxy[] {
  const squares = proxies.map((proxy) => squaredErrors(proxy, data));
  const errors = squares.map((each) => mean(each));
  const best = errors.indexOf(Math.min(...errors));
  const total = spread(data);
  const believed = proxies.map((_, i) => {
    const excess = squares[i].map((square, j) => square - squares[best][j]);
    return errors[i] - errors[best] <= standardError(excess);
  });
  const isHypothesis = (i: number) => {
    const own = proxies.flatMap(({ name }, j) => (KINDS[name] === KINDS[proxies[i].name] ? [j] : []));
    const isBestOfKind = own.every((j) => errors[i] <= errors[j]);
    return isBestOfKind && !own.some((j) => believed[j]) && (errors[i] - errors[best]) / total <= WORSE;
  };
  return proxies.map(({ name }, i) => ({
    name,
    error: errors[i],
    explained: 1 - errors[i] / total,
    isBelieved: believed[i],
    isHypothesis: isHypothesis(i),
  }));
}

/** The members of all believed proxies: the first of each, then the second of each, and so on. */
function combined(proxies: readonly ScoreProxy[], tried: readonly TriedProxy[]): ScoreProxy {
  const believed = proxies.filter((_, i) => tried[i].isBelieved);
  const { name } = tried.reduce((a, b) => (b.error < a.error ? b : a));
  return {
    name,
    outOfFold: believed[0].outOfFold.map(
      (_, i) => believed.reduce((sum, { outOfFold }) => sum + outOfFold[i], 0) / believed.length,
    ),
    async predict(strings) {
      const each: (readonly Float64Array[])[] = [];
      for (const proxy of believed) each.push(await proxy.predict(strings));
      return Array.from(
        { length: MEMBERS * each.length },
        (_, i) => each[i % each.length][Math.floor(i / each.length)],
      );
    },
  };
}

/** Squared errors on the scale of regressions, so that a few extreme scores do not decide alone. */
function squaredErrors({ outOfFold }: ScoreProxy, { scores }: ProxyData): Float64Array {
  const { scaled } = targetScale(scores);
  return outOfFold.map((value, i) => (scaled(value) - scaled(scores[i])) ** 2);
}

/** The variance of the scores on the same scale. */
function spread({ scores }: ProxyData): number {
  return variance(Float64Array.from(scores, targetScale(scores).scaled));
}
