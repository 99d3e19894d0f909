// One view of an entry: loaded when it is opened, with an explanation and its notes.

import type { ViewData, ViewName, ViewOptions } from "../../src/views/view-data.ts";
import { useApp } from "../app.ts";
import { Badge, WhenLoaded } from "../components/parts.tsx";
import type { ViewChoice } from "../url-state.ts";
import { useLoaded } from "../use-loaded.ts";
import { Attention } from "./attention.tsx";
import { Calibration } from "./calibration.tsx";
import { Candidates } from "./candidates.tsx";
import { Distribution } from "./distribution.tsx";
import { Dynamics } from "./dynamics.tsx";
import { Entropy } from "./entropy.tsx";
import { Flow } from "./flow.tsx";
import { Forecast } from "./forecast.tsx";
import { Grid } from "./grid.tsx";
import { Logo } from "./logo.tsx";
import { Modes } from "./modes.tsx";
import { Residuals } from "./residuals.tsx";
import { Scenario } from "./scenario.tsx";
import { Trajectories } from "./trajectories.tsx";
import type { ViewProps } from "./view-props.ts";
import { VIEW_TEXTS } from "./view-texts.ts";

export function ViewPanel({
  entry,
  view,
  choiceKey,
}: {
  readonly entry: string;
  readonly view: ViewName;
  /** Name of the choices in the address. */
  readonly choiceKey: string;
}) {
  const app = useApp();
  const choice: ViewChoice = app.state.value.choices[choiceKey] ?? {};
  const options = optionsOf(choice);
  const revision = app.revision(entry).value;
  const loaded = useLoaded(JSON.stringify([entry, view, options, revision]), () =>
    app.source.view(entry, view, options),
  );
  const { title, explanation } = VIEW_TEXTS[view];
  const choose = (change: Partial<ViewChoice>) => {
    const { choices } = app.state.peek();
    app.go({ choices: { ...choices, [choiceKey]: { ...choices[choiceKey], ...change } } });
  };
  const has = (asked: ViewOptions) => app.source.hasView(entry, view, asked);
  return (
    <div class="stack" data-test={`view-${view}`}>
      <div class="line">
        <h3>{title}</h3>
        {loaded.value !== null && <Badge source={loaded.value.exact ? "exact" : "sampled"} />}
      </div>
      <p class="explain">{explanation}</p>
      <WhenLoaded loaded={loaded}>
        {(data) => (
          <>
            <Drawing {...{ data, choice, choose, has }} />
            {data.notes.length > 0 && (
              <ul class="notes">
                {data.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
          </>
        )}
      </WhenLoaded>
    </div>
  );
}

function Drawing({ data, ...rest }: ViewProps<ViewData>) {
  switch (data.view) {
    case "distribution":
      return <Distribution data={data} {...rest} />;
    case "flow":
      return <Flow data={data} {...rest} />;
    case "dynamics":
      return <Dynamics data={data} {...rest} />;
    case "logo":
      return <Logo data={data} {...rest} />;
    case "grid":
      return <Grid data={data} {...rest} />;
    case "entropy":
      return <Entropy data={data} {...rest} />;
    case "residuals":
      return <Residuals data={data} {...rest} />;
    case "attention":
      return <Attention data={data} {...rest} />;
    case "modes":
      return <Modes data={data} {...rest} />;
    case "trajectories":
      return <Trajectories data={data} {...rest} />;
    case "candidates":
      return <Candidates data={data} {...rest} />;
    case "forecast":
      return <Forecast data={data} {...rest} />;
    case "scenario":
      return <Scenario data={data} {...rest} />;
    case "calibration":
      return <Calibration data={data} {...rest} />;
  }
}

/** The part of a choice that the source of data must know. */
function optionsOf({ path, levels, axes, fixed, seed, series }: ViewChoice): ViewOptions {
  const options = { path, levels, axes, fixed, seed, series };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
