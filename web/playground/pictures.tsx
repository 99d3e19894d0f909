// What the policy is at the moment: its distribution beside the target, its flows, and the kernel of the noise.

import { useSignal } from "@preact/signals";
import type { Picture } from "../../src/playground/picture.ts";
import { dynamicsChart } from "../../src/report/dynamics-chart.ts";
import { gridChart } from "../../src/report/grid-chart.ts";
import { formatCount } from "../../src/report/text-format.ts";
import { Badge, Check } from "../components/parts.tsx";
import { SvgFigure } from "../components/svg-figure.tsx";
import type { ViewChoice } from "../url-state.ts";
import { Distribution } from "../views/distribution.tsx";
import { Flow } from "../views/flow.tsx";
import { usePlayground } from "./store.ts";

/** All data are here, and nothing but the flow has choices. */
const FIXED = { choice: {} as ViewChoice, choose: () => {}, has: () => true };

/** The probabilities of all objects. */
export function DistributionPanel() {
  const { drawn } = usePlayground();
  const hasNumbers = useSignal(false);
  const now = drawn.value?.picture;
  if (now === undefined) return null;
  const { grid, distribution } = now;
  return (
    <Panel title="Distribution over objects" test="distribution">
      {grid ? (
        <>
          <SvgFigure
            key={hasNumbers.value}
            data={grid}
            draw={(data) => gridChart(data, { isCompact: !hasNumbers.value })}
          />
          <Check
            label="Large, with numbers"
            isChecked={hasNumbers.value}
            onChange={(checked) => {
              hasNumbers.value = checked;
            }}
          />
        </>
      ) : (
        <Distribution data={distribution} {...FIXED} />
      )}
      <Notes notes={(grid ?? distribution).notes} />
    </Panel>
  );
}

/** What the policy and the environment do in each state. */
export function StepPanels() {
  const { drawn, flow, openFlow } = usePlayground();
  const now = drawn.value?.picture;
  if (now === undefined) return null;
  return (
    <>
      <Panel title="Kernel: intended action against outcome" test="kernel">
        <Kernel data={now.dynamics} />
      </Panel>
      {flow.value !== null && (
        <Panel title="Flows" test="flows">
          <Flow
            data={flow.value}
            choice={{}}
            choose={({ path }) => path !== undefined && openFlow(path)}
            has={() => true}
          />
          <Notes notes={flow.value.notes} />
        </Panel>
      )}
    </>
  );
}

function Kernel({ data }: { readonly data: Picture["dynamics"] }) {
  const { problem } = usePlayground();
  const later = problem.value?.learnsDynamics === true && data.learned === null;
  return (
    <>
      <SvgFigure data={data} draw={(view) => dynamicsChart(view)} />
      {later && <p class="small faint">The learned kernel appears beside it when the training begins.</p>}
    </>
  );
}

function Panel({
  title,
  test,
  children,
}: {
  readonly title: string;
  readonly test: string;
  readonly children: preact.ComponentChildren;
}) {
  const iteration = usePlayground().drawn.value?.iteration ?? 0;
  const when =
    iteration === 0 ? "before training: the uniform policy" : `after ${formatCount(iteration)} iterations`;
  return (
    <section class="card stack" aria-label={title} data-test={test}>
      <div class="line spread">
        <h2>
          {title} <Badge source="exact" />
        </h2>
        <span class="small faint">{when}</span>
      </div>
      {children}
    </section>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.length === 0 ? null : (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
