// The settings of the playground.

import { useId } from "preact/hooks";
import type { ObjectiveName } from "../../src/gfn/objectives/objective.ts";
import {
  PLAYGROUND_KEYS,
  type PlaygroundSettings,
  PROBLEMS,
  type ProblemName,
  WIDTHS,
} from "../../src/playground/settings.ts";
import { Check } from "../components/parts.tsx";
import { FormulaInput, PictureInput, TableInput } from "./own-data.tsx";
import { usePlayground } from "./store.ts";
import { OBJECTIVE_GROUPS, OBJECTIVE_TEXTS, PROBLEM_TEXTS } from "./texts.ts";

const GRIDS: readonly ProblemName[] = ["hypergrid", "formula", "picture"];

export function Controls() {
  const { settings, change, choose } = usePlayground();
  const now = settings.value;
  const set = (name: keyof PlaygroundSettings) => (value: number) => change({ [name]: value });
  return (
    <section class="card stack settings-panel" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <Labelled label="Problem">
        {(id) => (
          <select
            id={id}
            value={now.problem}
            onChange={(event) => choose(event.currentTarget.value as ProblemName)}
          >
            {PROBLEMS.map((name) => (
              <option key={name} value={name} selected={name === now.problem}>
                {PROBLEM_TEXTS[name].name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <p class="small faint">{PROBLEM_TEXTS[now.problem].text}</p>
      {now.problem === "formula" && <FormulaInput />}
      {now.problem === "picture" && <PictureInput />}
      {now.problem === "table" && <TableInput />}
      {GRIDS.includes(now.problem) && (
        <Range
          label="Side of the grid"
          value={now.side}
          min={4}
          max={32}
          step={1}
          onChange={set("side")}
          test="side"
        />
      )}
      <hr />
      <Range
        label="Noise"
        value={now.stick}
        {...{ min: 0, max: 0.95, step: 0.05 }}
        text={now.stick.toFixed(2)}
        onChange={set("stick")}
        test="stick"
        isStrong
        help="How often the environment replaces an action by a uniform draw."
      />
      <Labelled label="Objective">
        {(id) => (
          <select
            id={id}
            data-test="objective"
            value={now.objective}
            onChange={(event) => change({ objective: event.currentTarget.value as ObjectiveName })}
          >
            {OBJECTIVE_GROUPS.map(({ label, objectives }) => (
              <optgroup key={label} label={label}>
                {objectives.map(([name, text]) => (
                  <option key={name} value={name} selected={name === now.objective}>
                    {text.name}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Labelled>
      <p class="small faint">{OBJECTIVE_TEXTS.get(now.objective)?.text}</p>
      <hr />
      <Range
        label="Reward exponent"
        value={now.rewardExponent}
        {...{ min: 0.25, max: 12, step: 0.25 }}
        onChange={set("rewardExponent")}
        test="exponent"
        help="The target is proportional to score to this power."
      />
      <Range
        label="Exploration"
        value={now.exploration}
        {...{ min: 0, max: 1, step: 0.05 }}
        text={now.exploration.toFixed(2)}
        onChange={set("exploration")}
        test="exploration"
        help={`The ${PLAYGROUND_KEYS.exploration.help}.`}
      />
      <Range
        label="Network width"
        value={Math.max(
          0,
          WIDTHS.findIndex((width) => width >= now.width),
        )}
        {...{ min: 0, max: WIDTHS.length - 1, step: 1 }}
        text={String(now.width)}
        onChange={(i) => change({ width: WIDTHS[i] })}
        test="width"
      />
      <Range
        label="Hidden layers"
        value={now.layers}
        min={1}
        max={3}
        step={1}
        onChange={set("layers")}
        test="layers"
      />
      <Check
        label="A learned correction for each state"
        isChecked={now.stateTable}
        onChange={(stateTable) => change({ stateTable })}
      />
      <div class="line">
        <Whole name="iterations" label="Iterations" />
        <Whole name="seed" label="Seed" />
      </div>
    </section>
  );
}

/** A control below its label. */
function Labelled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: (id: string) => preact.ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

/** A slider below its label and value. */
export function Range({
  label,
  value,
  min,
  max,
  step,
  text = String(value),
  help,
  onChange,
  test,
  isStrong = false,
}: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly text?: string;
  readonly help?: string;
  readonly onChange: (value: number) => void;
  readonly test: string;
  readonly isStrong?: boolean;
}) {
  const id = useId();
  return (
    <div class={isStrong ? "setting is-strong" : "setting"}>
      <label for={id}>{label}</label>
      <output for={id} class="number">
        {text}
      </output>
      <input
        id={id}
        type="range"
        data-test={test}
        {...{ min, max, step, value }}
        aria-valuetext={text}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      {help !== undefined && (
        <span id={`${id}-help`} class="small faint">
          {help}
        </span>
      )}
    </div>
  );
}

/** A whole number. What is not valid is not taken, and shown again as it was when the field is left. */
function Whole({ name, label }: { readonly name: "iterations" | "seed"; readonly label: string }) {
  const { settings, change } = usePlayground();
  const { kind, help } = PLAYGROUND_KEYS[name];
  return (
    <label class="setting whole" title={`${help}; ${kind.rule}`}>
      {label}
      <input
        type="number"
        data-test={name}
        value={settings.value[name]}
        onChange={(event) => {
          const field = event.currentTarget;
          const value = field.valueAsNumber;
          if (kind.violation(value) === null) change({ [name]: value });
          else field.value = String(settings.value[name]);
        }}
      />
    </label>
  );
}
