"""Scores DNA by how often it has GATC: one string per line in, one number per line out."""

import sys


def score(string):
    return string.count("GATC") / 3


for line in sys.stdin:
    try:
        print(score(line.strip()), flush=True)
    except ValueError:
        print("nan", flush=True)  # this string has no score
