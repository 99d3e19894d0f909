// The proxy of AdaLead: the same proxies as those of active learning, but only the mean of their members.

import { tokenText } from "../../src/constraints/index.ts";
import { type EarlierFit, proxyFitter } from "../../src/proxy/choose-proxy.ts";
import { momentsOf } from "../../src/proxy/proxy.ts";
import { reverseComplementOf } from "../../src/proxy/strands.ts";
import type { FitProxy } from "../../src/search/adalead.ts";
import type { SearchEnvironment } from "../../src/search/string-search.ts";

/** Fits proxies to strings of an environment. Each fit starts from the motifs of the one before, as in active learning. */
export function meanProxy({ space }: Pick<SearchEnvironment, "space">): FitProxy {
  const text = tokenText(space.tokens);
  const sizes = { tokens: space.tokens.length, length: space.length.max };
  const fitter = proxyFitter(sizes);
  const earlier: EarlierFit[] = [];
  let motifs: Awaited<ReturnType<typeof fitter.fit>>["motifs"] = null;
  return async (scored, seed) => {
    const data = {
      mirror: reverseComplementOf(space.tokens),
      ...sizes,
      strings: scored.map(({ string }) => text.parse(string)),
      scores: scored.map(({ score }) => score),
    };
    const fitted = await fitter.fit(data, { seed, motifs, earlier });
    earlier.push({ tried: fitted.tried, fitted: scored.length });
    motifs = fitted.motifs ?? motifs;
    return {
      means: async (strings) =>
        momentsOf(await fitted.proxy.predict(strings.map((string) => text.parse(string)))).mean,
    };
  };
}
