// The score of a string in the crash benchmark of designs, for the program that scores and for the check of its scores.

/** From 0 to 1: each letter counts by its position, and neighbouring equal letters count more. */
export function scoreOf(string) {
  let [sum, most] = [0, 0];
  for (let i = 0; i < string.length; i++) {
    const weight = 1 + (i % 3) + (i > 0 && string[i] === string[i - 1] ? 1 : 0);
    sum += weight * (string.charCodeAt(i) % 7);
    most += 7 * weight;
  }
  return sum / most;
}
