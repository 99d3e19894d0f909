// Gradient cases of dot: all kinds of matrix products that lowering distinguishes.

import { grad, numpy as np } from "@jax-js/jax";
import { randomInput } from "../gradients.ts";
import { type GradientCases, sineSum } from "./case.ts";

const a = randomInput([3, 4], "a");
const b = randomInput([4, 2], "b");
const tall = randomInput([4, 3], "tall");
const flat = randomInput([2, 4], "flat");
const v = randomInput([4], "v");
const w = randomInput([3], "w");
const bias = randomInput([2], "bias");
const batch = randomInput([2, 3, 4], "batch");
const partner = randomInput([2, 4, 5], "partner");

/** The transpose of the last two axes. */
const transposed = (x: np.Array) => np.swapaxes(x, -1, -2);

export const productCases = {
  dot: [
    { title: "matrix by matrix", f: ({ a, b }) => sineSum(np.matmul(a, b)), floats: { a, b } },
    {
      title: "transposed matrix by matrix",
      f: ({ tall, b }) => sineSum(np.matmul(transposed(tall), b)),
      floats: { tall, b },
    },
    {
      title: "matrix by transposed matrix",
      f: ({ a, flat }) => sineSum(np.matmul(a, transposed(flat))),
      floats: { a, flat },
    },
    {
      title: "transposed matrix by transposed matrix",
      f: ({ tall, flat }) => sineSum(np.matmul(transposed(tall), transposed(flat))),
      floats: { tall, flat },
    },
    {
      title: "a product that is used transposed",
      f: ({ a, b, bias }) => sineSum(np.multiply(transposed(np.matmul(a, b)), bias.reshape([2, 1]))),
      floats: { a, b, bias },
    },
    {
      title: "a product that is used plain and transposed",
      f: ({ a, b }) => {
        const product = np.matmul(a, b);
        return np.add(sineSum(product), sineSum(np.exp(transposed(product))));
      },
      floats: { a, b },
    },
    { title: "matrix by vector", f: ({ a, v }) => sineSum(np.matmul(a, v)), floats: { a, v } },
    { title: "vector by matrix", f: ({ w, a }) => sineSum(np.matmul(w, a)), floats: { w, a } },
    {
      title: "vector by vector",
      f: ({ v, u }) => np.dot(v, np.sin(u)),
      floats: { v, u: randomInput([4], "u") },
    },
    { title: "a vector by itself", f: ({ v }) => np.sqrt(np.dot(v, v)), floats: { v } },
    { title: "a matrix by its transpose", f: ({ a }) => sineSum(np.matmul(a, transposed(a))), floats: { a } },
    {
      title: "batched",
      f: ({ batch, partner }) => sineSum(np.matmul(batch, partner)),
      floats: { batch, partner },
    },
    {
      title: "batched, transposed operands",
      f: ({ batch, partner }) => sineSum(np.matmul(transposed(partner), transposed(batch))),
      floats: { batch, partner },
    },
    {
      title: "a batch by one matrix",
      f: ({ batch, b }) => sineSum(np.matmul(batch, b)),
      floats: { batch, b },
    },
    {
      title: "one matrix by a batch",
      f: ({ a, partner }) => sineSum(np.matmul(a, partner)),
      floats: { a, partner },
    },
    {
      title: "batches that broadcast against each other",
      f: ({ batch, partner }) =>
        sineSum(np.matmul(batch.reshape([2, 1, 3, 4]), partner.reshape([1, 2, 4, 5]))),
      floats: { batch, partner },
    },
    {
      title: "a batch of equal matrices",
      f: ({ a, partner }) => sineSum(np.matmul(np.broadcastTo(a, [2, 3, 4]), partner)),
      floats: { a, partner },
    },
    {
      title: "rows of two arrays against each other",
      f: ({ batch }) => sineSum(np.vecdot(batch, np.cos(np.flip(batch, 1)))),
      floats: { batch },
    },
    {
      title: "a broadcast contracted axis",
      f: ({ w, b }) => sineSum(np.matmul(np.broadcastTo(w.reshape([3, 1]), [3, 4]), b)),
      floats: { w, b },
    },
    {
      title: "with a bias per column",
      f: ({ a, b, bias }) => sineSum(np.add(np.matmul(a, b), bias)),
      floats: { a, b, bias },
    },
    {
      title: "with a bias per row",
      f: ({ a, b, w }) => sineSum(np.add(w.reshape([3, 1]), np.matmul(a, b))),
      floats: { a, b, w },
    },
    {
      title: "with a transposed matrix added",
      f: ({ a, b, more }) => sineSum(np.add(np.matmul(a, b), transposed(more))),
      floats: { a, b, more: randomInput([2, 3], "more") },
    },
    {
      title: "with a number added",
      f: ({ a, b, c }) => sineSum(np.add(np.matmul(a, b), c)),
      floats: { a, b, c: randomInput([], "c") },
    },
    {
      title: "with another product added",
      f: ({ a, b, tall, flat }) =>
        sineSum(np.add(np.matmul(a, b), np.matmul(transposed(tall), np.sin(transposed(flat))))),
      floats: { a, b, tall, flat },
    },
    {
      title: "with a bias, under a batch",
      f: ({ batch, b, bias }) => sineSum(np.add(np.matmul(batch, b), bias)),
      floats: { batch, b, bias },
    },
    {
      title: "axes contracted in pairs",
      f: ({ batch, partner }) =>
        sineSum(
          np.tensordot(batch, partner, [
            [0, 2],
            [0, 1],
          ]),
        ),
      floats: { batch, partner },
    },
    {
      title: "a single row, and a single column",
      f: ({ v, w }) => sineSum(np.matmul(w.reshape([3, 1]), v.reshape([1, 4]))),
      floats: { v, w },
    },
    {
      title: "in a second derivative",
      f: ({ a, b }) => sineSum(grad((c: np.Array) => sineSum(np.matmul(c, b)))(a)),
      floats: { a, b },
    },
    {
      title: "two layers with biases",
      f: ({ a, b, bias, tall }) => {
        const hidden = np.maximum(0, np.add(np.matmul(a, b), bias));
        return sineSum(np.matmul(hidden, np.matmul(transposed(b), tall)));
      },
      floats: { a, b, bias, tall },
    },
  ],
} as const satisfies GradientCases;
