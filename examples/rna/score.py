#!/usr/bin/env python3
"""Scores RNA strings by how strongly they bind a target RNA, with ViennaRNA's duplexfold.

It reads one string per line and prints one number per line, in the same order: the free energy of the best duplex of the
string with the target, divided by that of a perfect match, so that good binders have a score near 1. The targets are those
of the RNA landscapes of FLEXS (Sinai et al. 2020).

Try it:  printf 'GGGGCCCCGGGGCC\\n' | python3 score.py RNA1
Needs:   pip install ViennaRNA
"""

import sys

TARGETS = {
    "RNA1": "GAACGAGGCACAUUCCGGCUCGCCCGGCCCAUGUGAGCAUGGGCCGGACCCCGUCCGCGCGGGGCCCCCGCGCGGACGGGGGCGAGCCGGAAUGUGCCUC",
    "RNA2": "GAGGCACAUUCCGGCUCGCCCCCGUCCGCGCGGGGGCCCCGCGCGGACGGGGUCCGGCCCGCGCGGGGCCCCCGCGCGGGAGCCGGAAUGUGCCUCGUUC",
    "RNA3": "CCGGUGAUACUGUUAGUGGUCACGGUGCAUUUAUAGCGCUAAAGUACAGUCUUCCCCUGUUGAACGGCGCCAUUGCAUACAGGGCCAGCCGCGUAACGCC",
}
COMPLEMENT = {"A": "U", "C": "G", "G": "C", "U": "A"}


def main():
    name = sys.argv[1] if len(sys.argv) == 2 else "RNA1"
    if len(sys.argv) > 2 or name not in TARGETS:
        sys.exit(f"score.py: the target must be {', '.join(TARGETS)}, got {' '.join(sys.argv[1:])}")
    try:
        import RNA
    except ImportError:
        sys.exit("score.py: ViennaRNA is missing; install it with: pip install ViennaRNA")

    target = TARGETS[name]
    perfect = "".join(COMPLEMENT[letter] for letter in reversed(target))
    whole = RNA.duplexfold(perfect, target).energy
    # readline instead of iteration: the answer must go out before the next string comes in.
    for line in iter(sys.stdin.readline, ""):
        string = line.strip()
        energy = RNA.duplexfold(target, string).energy
        norm = whole * len(string) / len(target)
        # Flushing sends the number at once; without it, the reader would wait until a buffer is full.
        print(energy / norm if string else 0.0, flush=True)


main()
