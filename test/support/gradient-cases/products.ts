// Gradient cases of dot: every kind of matrix product that the lowering tells apart.

import { grad, numpy as np } from "@jax-js/jax";
import { randomInput, weightedSum } from "../gradients.ts";
import type { GradientCases } from "./case.ts";

const a = randomInput([3, 4], "a");
const b = randomInput([4, 2], "b");
const tall = randomInput([4, 3], "tall");
const flat = randomInput([2, 4], "flat");
const v = randomInput([4], "v");
const w = randomInput([3], "w");
const bias = randomInput([2], "bias");
const batch = randomInput([2, 3, 4], "batch");
const partner = randomInput([2, 4, 5], "partner");

/** Transposed without a copy. */
const turned = (x: np.Array) => np.swapaxes(x, -1, -2);
/** Something to read a product with whose derivative depends on its value. */
const read = (x: np.Array) => weightedSum(np.sin(x));

export const productCases = {
  dot: [
    { title: "matrix by matrix", f: ({ a, b }) => read(np.matmul(a, b)), floats: { a, b } },
    {
      title: "transposed matrix by matrix",
      f: ({ tall, b }) => read(np.matmul(turned(tall), b)),
      floats: { tall, b },
    },
    {
      title: "matrix by transposed matrix",
      f: ({ a, flat }) => read(np.matmul(a, turned(flat))),
      floats: { a, flat },
    },
    {
      title: "transposed matrix by transposed matrix",
      f: ({ tall, flat }) => read(np.matmul(turned(tall), turned(flat))),
      floats: { tall, flat },
    },
    {
      title: "a product that is read transposed",
      f: ({ a, b, bias }) => read(np.multiply(turned(np.matmul(a, b)), bias.reshape([2, 1]))),
      floats: { a, b, bias },
    },
    {
      title: "a product that is read both ways",
      f: ({ a, b }) => {
        const product = np.matmul(a, b);
        return np.add(read(product), read(np.exp(turned(product))));
      },
      floats: { a, b },
    },
    { title: "matrix by vector", f: ({ a, v }) => read(np.matmul(a, v)), floats: { a, v } },
    { title: "vector by matrix", f: ({ w, a }) => read(np.matmul(w, a)), floats: { w, a } },
    {
      title: "vector by vector",
      f: ({ v, u }) => np.dot(v, np.sin(u)),
      floats: { v, u: randomInput([4], "u") },
    },
    { title: "a vector by itself", f: ({ v }) => np.sqrt(np.dot(v, v)), floats: { v } },
    { title: "a matrix by its transpose", f: ({ a }) => read(np.matmul(a, turned(a))), floats: { a } },
    {
      title: "batched",
      f: ({ batch, partner }) => read(np.matmul(batch, partner)),
      floats: { batch, partner },
    },
    {
      title: "batched, transposed operands",
      f: ({ batch, partner }) => read(np.matmul(turned(partner), turned(batch))),
      floats: { batch, partner },
    },
    {
      title: "a batch by one matrix",
      f: ({ batch, b }) => read(np.matmul(batch, b)),
      floats: { batch, b },
    },
    {
      title: "one matrix by a batch",
      f: ({ a, partner }) => read(np.matmul(a, partner)),
      floats: { a, partner },
    },
    {
      title: "batches that broadcast against each other",
      f: ({ batch, partner }) => read(np.matmul(batch.reshape([2, 1, 3, 4]), partner.reshape([1, 2, 4, 5]))),
      floats: { batch, partner },
    },
    {
      title: "a batch whose matrices are all the same",
      f: ({ a, partner }) => read(np.matmul(np.broadcastTo(a, [2, 3, 4]), partner)),
      floats: { a, partner },
    },
    {
      title: "rows of two arrays against each other",
      f: ({ batch }) => read(np.vecdot(batch, np.cos(np.flip(batch, 1)))),
      floats: { batch },
    },
    {
      title: "a repeated contracted axis",
      f: ({ w, b }) => read(np.matmul(np.broadcastTo(w.reshape([3, 1]), [3, 4]), b)),
      floats: { w, b },
    },
    {
      title: "with a bias per column",
      f: ({ a, b, bias }) => read(np.add(np.matmul(a, b), bias)),
      floats: { a, b, bias },
    },
    {
      title: "with a bias per row",
      f: ({ a, b, w }) => read(np.add(w.reshape([3, 1]), np.matmul(a, b))),
      floats: { a, b, w },
    },
    {
      title: "with a whole matrix added, transposed",
      f: ({ a, b, more }) => read(np.add(np.matmul(a, b), turned(more))),
      floats: { a, b, more: randomInput([2, 3], "more") },
    },
    {
      title: "with a number added",
      f: ({ a, b, c }) => read(np.add(np.matmul(a, b), c)),
      floats: { a, b, c: randomInput([], "c") },
    },
    {
      title: "with another product added",
      f: ({ a, b, tall, flat }) =>
        read(np.add(np.matmul(a, b), np.matmul(turned(tall), np.sin(turned(flat))))),
      floats: { a, b, tall, flat },
    },
    {
      title: "with a bias, under a batch",
      f: ({ batch, b, bias }) => read(np.add(np.matmul(batch, b), bias)),
      floats: { batch, b, bias },
    },
    {
      title: "axes contracted in pairs",
      f: ({ batch, partner }) =>
        read(
          np.tensordot(batch, partner, [
            [0, 2],
            [0, 1],
          ]),
        ),
      floats: { batch, partner },
    },
    {
      title: "a single row, and a single column",
      f: ({ v, w }) => read(np.matmul(w.reshape([3, 1]), v.reshape([1, 4]))),
      floats: { v, w },
    },
    {
      title: "inside a gradient that is differentiated again",
      f: ({ a, b }) => read(grad((c: np.Array) => read(np.matmul(c, b)))(a)),
      floats: { a, b },
    },
    {
      title: "two layers with biases",
      f: ({ a, b, bias, tall }) => {
        const hidden = np.maximum(0, np.add(np.matmul(a, b), bias));
        return read(np.matmul(hidden, np.matmul(turned(b), tall)));
      },
      floats: { a, b, bias, tall },
    },
  ],
} as const satisfies GradientCases;
