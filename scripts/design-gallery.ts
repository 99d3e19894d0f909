// Sections of the gallery with the charts of designs, from synthetic strings.

import { RandomStream } from "../src/engine/random-stream.ts";
import { compositionChart } from "../src/report/composition-chart.ts";
import { circlesChart } from "../src/report/design-charts.ts";
import { type DesignCandidate, designReport } from "../src/report/design-report.ts";
import type { Section } from "../src/report/page.ts";
import { roundsSections } from "../src/report/rounds-report.ts";
import { sequenceLogo } from "../src/report/sequence-logo.ts";

const DNA = [..."ACGT"];
const PROTEIN = [..."ACDEFGHIKLMNPQRSTVWY"];

/** The page of a design, and charts of other alphabets, lengths and almost no data. */
export function designSections(): Section[] {
  const random = RandomStream.fromSeed(0).split("designs");
  const { sections } = designReport({
    name: "gallery",
    intro: "",
    tokens: DNA,
    measure: { distance: "hamming", top: 100, radius: 3 },
    ...{ calls: 1280, budget: 1280, settings: [] },
    progress: Array.from({ length: 11 }, (_, i) => ({
      calls: 128 * i,
      best: 1 - 0.6 * Math.exp(-i / 2),
      topMean: 0.9 - 0.6 * Math.exp(-i / 3),
      circles: Math.round(40 * (1 - Math.exp(-i / 4))),
    })),
    candidates: Array.from({ length: 96 }, (_, i): DesignCandidate => {
      const letters = noisy([2, 0, 3, 1, 2, 0, 3, 1, 0, 0, 2, 1], 0.06 * (i % 9), 4);
      return {
        ...{ text: letters.map((letter) => DNA[letter]).join(""), letters, circle: i % 40 },
        ...{ score: 1 - 0.004 * i - 0.1 * random.uniform(), distanceToKnown: 2 + (i % 7) },
      };
    }),
  });
  const peptides = Array.from({ length: 50 }, () =>
    noisy(
      Array.from({ length: 15 }, (_, i) => (7 * i) % 20),
      0.5,
      20,
    ),
  );
  const variable = Array.from({ length: 30 }, (_, i) =>
    noisy([0, 0, 1, 2, 3, 3, 2, 1].slice(0, 3 + (i % 6)), 0.2, 4),
  );
  const long = Array.from({ length: 20 }, () =>
    noisy(
      Array.from({ length: 120 }, (_, i) => i % 4),
      0.3,
      4,
    ),
  );
  return [
    ...sections.map((section) => ({ ...section, heading: `Design: ${section.heading}` })),
    ...rounds().map((section) => ({ ...section, heading: `Rounds: ${section.heading}` })),
    {
      heading: "Design: other alphabets and lengths",
      figures: [
        sequenceLogo({ title: "Logo of peptides", tokens: PROTEIN, strings: peptides }),
        compositionChart({ title: "Composition of peptides", tokens: PROTEIN, strings: peptides }),
        sequenceLogo({ title: "Logo of strings of variable length", tokens: DNA, strings: variable }),
        compositionChart({
          title: "Composition of strings of variable length",
          tokens: DNA,
          strings: variable,
        }),
        sequenceLogo({
          title: "Logo of long strings",
          tokens: ["<b>", "&", "Cys", "longest token"],
          strings: long,
        }),
        compositionChart({
          title: "Composition of long strings",
          tokens: ["<b>", "&", "Cys", "a token that is much too long to fit"],
          strings: long,
        }),
        sequenceLogo({ title: "Logo of no strings", tokens: DNA, strings: [] }),
        sequenceLogo({ title: "Logo of one string", tokens: DNA, strings: [[0, 1, 2, 3]] }),
        circlesChart({
          curves: [
            { name: "GFlowNet", points: [0, 96, 192, 288, 384].map((x) => ({ x, y: x / 12 })) },
            { name: "evolution", points: [0, 96, 192, 288, 384].map((x) => ({ x, y: Math.sqrt(x) })) },
          ],
          measure: { distance: "edit", top: 100, radius: 5 },
        }),
      ],
    },
  ];

  /** Four rounds of strings with a motif and a pair, of which the last is half scored. */
  function rounds(): Section[] {
    const strings = Array.from({ length: 192 }, () =>
      Array.from({ length: 12 }, (_, i) =>
        random.uniform() < 0.3 ? [2, 0, 3, 1][i % 4] : random.integer(4),
      ),
    );
    const scoreOf = (letters: readonly number[]) =>
      (letters[1] === 0 ? 0.3 : 0) + (letters[4] === letters[8] ? 0.4 : 0) + 0.2 * random.uniform();
    const scored = strings.map((letters) => ({
      ...{ letters, text: letters.map((letter) => DNA[letter]).join(""), score: scoreOf(letters) },
    }));
    const motif = { offsets: [0, 1, 4], letters: [2, 0, 3] };
    return roundsSections({
      tokens: DNA,
      scored: scored.slice(0, 168),
      rounds: Array.from({ length: 4 }, (_, round) => ({
        proposals: scored.slice(48 * round, 48 * (round + 1)).map(({ text, score }) => {
          const mean = 0.2 + 0.6 * score + 0.2 * random.uniform();
          return {
            string: text,
            prediction: round === 0 ? null : { mean, low: mean - 0.15, high: mean + 0.1 },
          };
        }),
        tried: ["motifs", "pairwise", "linear", "mlp", "convolution"].slice(0, 5 * round).map((name, i) => ({
          ...{ name, error: 0.1 + 0.2 * i, explained: 0.9 - 0.2 * i, isBelieved: i < 2 },
        })),
        ...{ proxy: round === 0 ? null : "motifs", proxyCalls: 15_000 * round },
        motifs: Array.from({ length: 8 }, (_, member) => ({
          motifs: [
            { ...motif, letters: [2, 0, member < 6 ? 3 : 1] },
            ...(member < 4 ? [{ offsets: [0, 2], letters: [1, 1] }] : []),
          ],
        })),
      })),
    });
  }

  /** The letters, each replaced by a random one with a probability. */
  function noisy(letters: readonly number[], share: number, count: number): number[] {
    return letters.map((letter) => (random.uniform() < share ? random.integer(count) : letter));
  }
}
