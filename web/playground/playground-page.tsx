// The page of the playground.

import { queryOf } from "../../src/playground/settings.ts";
import { SkipLink, ThemeChoice } from "../components/shell.tsx";
import { Controls } from "./controls.tsx";
import { CurvePanel } from "./curves.tsx";
import { Notices } from "./notices.tsx";
import { Numbers } from "./numbers.tsx";
import { hashOf, page } from "./pages.ts";
import { DistributionPanel, StepPanels } from "./pictures.tsx";
import { usePlayground } from "./store.ts";
import { Teachers } from "./teachers.tsx";
import { Tour } from "./tour.tsx";
import { Transport } from "./transport.tsx";

const PAGES = [
  ["play", "Playground"],
  ["tour", "Tour"],
  ["teachers", "For teachers"],
] as const;

export function PlaygroundPage() {
  const query = queryOf(usePlayground().settings.value);
  return (
    <>
      <SkipLink />
      <header class="top">
        <a class="brand" href="#/">
          gflownet playground
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([name, text]) => (
            <a
              key={name}
              href={hashOf({ name, step: 0 }, query)}
              aria-current={page.value.name === name ? "page" : undefined}
              data-test={`page-${name}`}
            >
              {text}
            </a>
          ))}
        </nav>
        <span class="faint small slogan">
          A GFlowNet learns to draw objects in proportion to their reward, here in this page.
        </span>
        <div class="tools">
          <ThemeChoice />
        </div>
      </header>
      <Notices />
      <main id="content" tabIndex={-1}>
        {page.value.name === "teachers" ? (
          <Teachers />
        ) : (
          <>
            <h1 class="hidden-text">gflownet playground</h1>
            {page.value.name === "tour" && <Tour />}
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
          </>
        )}
      </main>
    </>
  );
}
