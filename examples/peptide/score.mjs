// Scores a peptide by its hydrophobic moment: how strongly a helix has a greasy and a watery side (Eisenberg 1984).

/** Hydrophobicity of amino acids, consensus scale. */
const HYDROPHOBICITY = {
  ...{ R: -2.53, K: -1.5, D: -0.9, Q: -0.85, N: -0.78, E: -0.74, H: -0.4, S: -0.18, T: -0.05, P: 0.12 },
  ...{ Y: 0.26, C: 0.29, G: 0.48, A: 0.62, M: 0.64, W: 0.81, L: 1.06, V: 1.08, F: 1.19, I: 1.38 },
};
/** Angle between neighbours in an α helix. */
const TURN = (100 * Math.PI) / 180;

/** The length of the vector sum of all side chains, per amino acid. */
export function score(peptide) {
  let [x, y] = [0, 0];
  for (const [i, letter] of [...peptide].entries()) {
    x += HYDROPHOBICITY[letter] * Math.cos(i * TURN);
    y += HYDROPHOBICITY[letter] * Math.sin(i * TURN);
  }
  return Math.hypot(x, y) / peptide.length;
}
