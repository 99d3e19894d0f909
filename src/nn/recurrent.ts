// Recurrent networks, unrolled over time: GRU (Cho et al. 2014) and LSTM (Hochreiter and Schmidhuber 1997).
//
// The weights of all gates form one matrix, so a step is one matrix product; the inputs of all steps are projected at
// once. As in PyTorch, the GRU applies the reset gate after the hidden projection.

import { numpy as np } from "@jax-js/jax";
import { sigmoid, tanh } from "./activations.ts";
import { checkShape, checkSizes } from "./checks.ts";
import { columnBlocks, glorotUniform, type Initialiser, orthogonal } from "./init.ts";
import { type LinearParams, linear } from "./linear.ts";
import type { Module } from "./module.ts";
import type { ArraysOf } from "./params.ts";

/** Parameters of a recurrent layer. */
export type RecurrentParams = { readonly input: LinearParams; readonly hidden: LinearParams };

/** Options of `gru` and `lstm`. */
export interface RecurrentOptions {
  readonly inputs: number;
  /** Width of the hidden state. */
  readonly width: number;
}

/** The hidden states of a recurrent layer. */
export interface RecurrentOutput<State> {
  /** Hidden states after every step, [B, T, H]. */
  readonly states: np.Array;
  /** The state after the last step. */
  readonly last: State;
}

/** A network over sequences x [B, T, inputs]. The initial state is zero by default. */
export interface Recurrent<State>
  extends Module<RecurrentParams, [x: np.Array, initial?: State], RecurrentOutput<State>> {
  /** The state after one step with input x [B, inputs]. */
  step(params: ArraysOf<RecurrentParams>, x: np.Array, state: State): State;
  /** The zero state of a batch. */
  initial(batch: number): State;
}

/** Gates in the order reset, update, candidate, as in PyTorch. The state is the hidden vector [B, H]. */
export function gru({ inputs, width }: RecurrentOptions): Recurrent<np.Array> {
  checkSizes("gru", { inputs, width });
  const input = linear(inputs, 3 * width, { weightInit: columnBlocks(glorotUniform, 3) });
  const hidden = linear(width, 3 * width, { weightInit: columnBlocks(orthogonal(), 3) });
  return unrolled(
    "gru",
    { inputs, input, hidden },
    {
      initial: (batch) => np.zeros([batch, width]), // [B, H]
      hiddenOf: (state) => state, // [B, H]
      advance(fromInput, fromHidden, state) {
        const [inputGates, inputCandidate] = np.split(fromInput, [2 * width], 1); // [B, 2H], [B, H]
        const [hiddenGates, hiddenCandidate] = np.split(fromHidden, [2 * width], 1); // [B, 2H], [B, H]
        const [reset, update] = np.split(sigmoid(np.add(inputGates, hiddenGates)), 2, 1); // [B, H], [B, H]
        const candidate = tanh(np.add(inputCandidate, np.multiply(reset, hiddenCandidate))); // [B, H]
        return np.add(candidate, np.multiply(update, np.subtract(state, candidate))); // [B, H]
      },
    },
  );
}

/** The state of an LSTM. */
export interface LstmState {
  /** [B, H] */
  readonly hidden: np.Array;
  /** [B, H] */
  readonly cell: np.Array;
}

/** Gates in the order input, forget, output, candidate. The bias of the forget gate starts at 1. */
export function lstm({ inputs, width }: RecurrentOptions): Recurrent<LstmState> {
  checkSizes("lstm", { inputs, width });
  const biasInit: Initialiser = () => new Float32Array(4 * width).fill(1, width, 2 * width);
  const input = linear(inputs, 4 * width, { weightInit: columnBlocks(glorotUniform, 4), biasInit });
  const hidden = linear(width, 4 * width, { weightInit: columnBlocks(orthogonal(), 4), bias: false });
  return unrolled(
    "lstm",
    { inputs, input, hidden },
    {
      initial: (batch) => ({ hidden: np.zeros([batch, width]), cell: np.zeros([batch, width]) }), // [B, H] each
      hiddenOf: (state) => state.hidden, // [B, H]
      advance(fromInput, fromHidden, { cell }) {
        const [gates, candidate] = np.split(np.add(fromInput, fromHidden), [3 * width], 1); // [B, 3H], [B, H]
        const [inputGate, forgetGate, outputGate] = np.split(sigmoid(gates), 3, 1); // [B, H] each
        const next = np.add(np.multiply(forgetGate, cell), np.multiply(inputGate, tanh(candidate))); // [B, H]
        return { hidden: np.multiply(outputGate, tanh(next)), cell: next }; // [B, H] each
      },
    },
  );
}

interface Projections {
  readonly inputs: number;
  readonly input: Module<LinearParams>;
  readonly hidden: Module<LinearParams>;
}

interface Cell<State> {
  initial(batch: number): State;
  hiddenOf(state: State): np.Array;
  /** Computes the next state from the projections of the input and of the hidden state, [B, gates · H] each. */
  advance(fromInput: np.Array, fromHidden: np.Array, state: State): State;
}

function unrolled<State>(
  where: string,
  { inputs, input, hidden }: Projections,
  { initial, hiddenOf, advance }: Cell<State>,
): Recurrent<State> {
  return {
    params: { input: input.params, hidden: hidden.params },
    initial,
    step(params, x, state) {
      checkShape(`${where}.step`, "x", x, ["B", inputs]);
      const fromHidden = hidden.apply(params.hidden, hiddenOf(state)); // [B, gates · H]
      return advance(input.apply(params.input, x), fromHidden, state);
    },
    apply(params, x, start) {
      checkShape(where, "x", x, ["B", "T", inputs]);
      const [batch, length] = x.shape;
      const projected = input.apply(params.input, np.transpose(x, [1, 0, 2])); // [T, B, gates · H]
      let state = start ?? initial(batch);
      const states = np.split(projected, length).map((step) => {
        const fromInput = step.reshape(projected.shape.slice(1)); // [B, gates · H]
        state = advance(fromInput, hidden.apply(params.hidden, hiddenOf(state)), state);
        return hiddenOf(state); // [B, H]
      });
      return { states: np.stack(states, 1), last: state }; // [B, T, H]
    },
  };
}
