// Simulated annealing of motif products: letters of motifs are replaced, added and removed at random, many of them taken
// from good strings, and a change is accepted by its energy. At the last temperature, 1, the accepted models are those of
// the posterior, so several annealings show which motifs the scores leave open.

import type { RandomStream } from "../engine/random-stream.ts";
import type { MotifLetter } from "./match-counter.ts";
import type { AnchoredMotif, MotifChange, MotifData } from "./motif-data.ts";
import type { Motif, MotifModel } from "./motif-model.ts";

/** The length of an annealing, and its first temperature; the last one is 1. */
export interface AnnealingOptions {
  readonly steps: number;
  readonly temperature: number;
  /** Whether the annealing goes on when the model makes no error. Default: false. */
  readonly isSampling?: boolean;
}

/** A model with its energy. */
export interface AnnealedModel {
  readonly model: MotifModel;
  readonly energy: number;
}

/** Most letters of a motif, and most letters of one step of the count. */
const [MOST_LETTERS, MOST_QUANTUM] = [12, 4];
/** How far a new letter may lie outside of a motif, and among how many of the best strings letters are found. */
const [MARGIN, GOOD] = [3, 100];
/** Share of proposals that take a letter from a good string, and of those that change the quantum. */
const [INFORMED, REQUANTISED] = [0.6, 0.01];
/** Steps between two looks at whether the model is perfect. */
const LOOK_EVERY = 500;

/** A random start: motifs of two neighbouring letters. */
export function randomMotifs(count: number, tokens: number, stream: RandomStream): Motif[] {
  return Array.from({ length: count }, () => ({
    offsets: [0, 1],
    letters: [stream.integer(tokens), stream.integer(tokens)],
  }));
}

/** Anneals a model, from the motifs of a start. */
export function anneal(
  data: MotifData,
  start: Pick<MotifModel, "motifs" | "quantum">,
  { steps, temperature, isSampling = false }: AnnealingOptions,
  stream: RandomStream,
): AnnealedModel {
  const motifs: AnchoredMotif[] = start.motifs.map(({ offsets, letters }) =>
    data.anchored(offsets.map((offset, j) => ({ offset, letter: letters[j] }))),
  );
  const best = motifs.map((motif) => motif.best);
  const sizes = motifs.map(({ letters }) => letters.length);
  let quantum = start.quantum;
  let fit = data.fit(best, sizes, quantum);
  for (let step = 0; step < steps; step++) {
    const heat = temperature ** (1 - step / steps);
    const accepts = (energy: number) =>
      energy <= fit.energy || stream.uniform() < Math.exp((fit.energy - energy) / heat);
    if (!isSampling && step % LOOK_EVERY === 0 && fit.energy - data.leastEnergy(sum(sizes)) < 0.01) break;
    if (stream.uniform() < REQUANTISED) {
      const proposed = 1 + stream.integer(MOST_QUANTUM);
      const next = data.fit(best, sizes, proposed);
      if (accepts(next.energy)) [quantum, fit] = [proposed, next];
      continue;
    }
    const m = stream.integer(motifs.length);
    const motif = motifs[m];
    const change = proposal(data, motif, stream);
    const letters = lettersAfter(data, motif, change);
    if (!letters) continue;
    const changed = data.changed(motif, change, letters);
    best[m] = changed.best;
    sizes[m] = letters.length;
    const next = data.fit(best, sizes, quantum);
    if (accepts(next.energy)) {
      fit = next;
      motifs[m] = changed.motif();
    } else {
      best[m] = motif.best;
      sizes[m] = motif.letters.length;
    }
  }
  return withoutIdleMotifs(data, motifs, quantum);
}

/** The model without motifs that explain nothing: their share is the same in all strings, or nearly so. */
function withoutIdleMotifs(
  data: MotifData,
  motifs: readonly AnchoredMotif[],
  quantum: number,
): AnnealedModel {
  const fitOf = (some: readonly AnchoredMotif[]) =>
    data.fit(
      some.map(({ best }) => best),
      some.map(({ letters }) => letters.length),
      quantum,
    );
  const { base, scale, energy } = fitOf(motifs);
  if (motifs.length > 1) {
    const fewer = motifs.map((_, m) => motifs.toSpliced(m, 1));
    const energies = fewer.map((some) => fitOf(some).energy);
    const best = energies.indexOf(Math.min(...energies));
    if (energies[best] < energy) return withoutIdleMotifs(data, fewer[best], quantum);
  }
  return { model: { motifs: motifs.map(motifOf), quantum, base, scale }, energy };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((a, b) => a + b, 0);
}

function motifOf({ letters }: AnchoredMotif): Motif {
  const first = letters[0].offset;
  return {
    offsets: letters.map(({ offset }) => offset - first),
    letters: letters.map(({ letter }) => letter),
  };
}

/** A random change of a motif: a letter is replaced, gets another letter or another place, comes, or goes. */
function proposal(data: MotifData, motif: AnchoredMotif, stream: RandomStream): MotifChange {
  const { letters } = motif;
  const isInformed = stream.uniform() < INFORMED;
  const found = isInformed ? letterOfGoodString(data, motif, stream) : randomLetter(data, motif, stream);
  const victim = letters[stream.integer(letters.length)];
  const kind = stream.uniform();
  if (kind < 0.35) return { removed: victim, added: found };
  if (kind < 0.55) return { removed: victim, added: { offset: victim.offset, letter: found.letter } };
  if (kind < 0.65) return { removed: victim, added: { offset: found.offset, letter: victim.letter } };
  if (kind < 0.85) return { removed: null, added: found };
  return { removed: victim, added: null };
}

function randomLetter({ tokens }: MotifData, { letters }: AnchoredMotif, stream: RandomStream): MotifLetter {
  const first = letters[0].offset;
  const span = letters[letters.length - 1].offset - first;
  const offset = first - MARGIN + stream.integer(span + 2 * MARGIN + 1);
  return { offset, letter: stream.integer(tokens) };
}

/** A letter of a good string, at its distance from where the motif matches best. */
function letterOfGoodString(data: MotifData, { letters }: AnchoredMotif, stream: RandomStream): MotifLetter {
  const { order, lengths, count } = data;
  const string = order[Math.floor(stream.uniform() ** 2 * Math.min(count, GOOD))];
  let [best, place] = [-1, 0];
  const end = lengths[string] - letters[letters.length - 1].offset;
  for (let anchor = -letters[0].offset; anchor < end; anchor++) {
    let matches = stream.uniform() / 2; // equally good places are equally likely
    for (const { offset, letter } of letters)
      if (data.letterAt(string, anchor + offset) === letter) matches++;
    if (matches > best) [best, place] = [matches, anchor];
  }
  const position = stream.integer(lengths[string]);
  return { offset: position - place, letter: data.letterAt(string, position) };
}

/** The letters after a change, in the order of their offsets; null if it changes nothing, leaves nothing, or leads to a
 * motif that no string can have. */
function lettersAfter(
  { length }: MotifData,
  { letters }: AnchoredMotif,
  { removed, added }: MotifChange,
): MotifLetter[] | null {
  const kept = letters.filter((each) => each !== removed);
  if (added) {
    if (Math.abs(added.offset) >= length || kept.some(({ offset }) => offset === added.offset)) return null;
    if (removed && removed.offset === added.offset && removed.letter === added.letter) return null;
    kept.push(added);
    kept.sort((a, b) => a.offset - b.offset);
  }
  if (kept.length === 0 || kept.length > MOST_LETTERS) return null;
  return kept[kept.length - 1].offset - kept[0].offset < length ? kept : null;
}
