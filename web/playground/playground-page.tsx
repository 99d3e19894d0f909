// The page of the playground.

import { SkipLink, ThemeChoice } from "../components/shell.tsx";
import { Controls } from "./controls.tsx";
import { CurvePanel } from "./curves.tsx";
import { Numbers } from "./numbers.tsx";
import { DistributionPanel, StepPanels } from "./pictures.tsx";
import { Transport } from "./transport.tsx";

export function PlaygroundPage() {
  return (
    <>
      <SkipLink />
      <header class="top">
        <a class="brand" href="#/">
          gflownet playground
        </a>
        <span class="faint small slogan">
          A GFlowNet learns to draw objects in proportion to their reward, here in this page.
        </span>
        <div class="tools">
          <ThemeChoice />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <h1 class="hidden-text">gflownet playground</h1>
        <div class="play">
          <div class="stage lead">
            <Transport />
            <Numbers />
          </div>
          <Controls />
          <div class="stage">
            <DistributionPanel />
            <CurvePanel />
            <StepPanels />
          </div>
        </div>
      </main>
    </>
  );
}
