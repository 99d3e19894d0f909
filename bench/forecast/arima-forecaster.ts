// A forecaster that runs ARIMA models in a Python process. Each request and each answer is one line of JSON.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { FittedForecaster, Forecast, Forecaster } from "../../src/forecast/types.ts";
import { environmentFor, errorLine } from "../harness.ts";
import type { ArimaRival } from "../python.ts";

export interface ArimaForecaster extends Forecaster {
  /** Ends the process. */
  dispose(): Promise<void>;
}

interface Answer {
  readonly forecasts: readonly { readonly mean: number[]; readonly quantiles: number[][] }[];
}

/** Each forecast fits new models, so `fit` does nothing. Series must have no missing values. */
export function arimaForecaster({ name, command }: ArimaRival): ArimaForecaster {
  const child = spawn(command.file, command.parameters, { env: environmentFor(command.threads) });
  const ended = once(child, "close");
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorText += text;
  });
  // Errors of writing are ignored: if the process has ended, `ask` reports it.
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function ask(request: unknown): Promise<Answer> {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await answers.next();
    if (!done) return JSON.parse(value) as Answer;
    await ended;
    throw new Error(
      `${name}: the process must answer every request, got ${errorLine(errorText) ?? "nothing"}`,
    );
  }

  const fitted: FittedForecaster = {
    async predict({ series, targets, season }, { horizon, quantiles }) {
      const targetSeries = series.flatMap(({ id, targets: values }) =>
        targets.map((target, j) => ({ id, target, values: values[j] })),
      );
      const { forecasts } = await ask({
        horizon,
        season,
        quantiles,
        series: targetSeries.map(({ values }) => [...values]),
      });
      return targetSeries.map(
        ({ id, target }, i): Forecast => ({
          id,
          target,
          mean: Float64Array.from(forecasts[i].mean),
          quantiles: forecasts[i].quantiles.map((row) => Float64Array.from(row)),
        }),
      );
    },
  };
  return {
    name,
    fit: async () => fitted,
    async dispose() {
      child.stdin.end();
      await ended;
    },
  };
}
