// A page for those who teach with the playground: what it shows, a lesson, exercises with answers, and what to prepare.

import { type PlaygroundSettings, queryOf, settingsFor } from "../../src/playground/settings.ts";
import { TOUR } from "./tour-steps.ts";

export function Teachers() {
  return (
    <article class="card prose teachers" data-test="teachers">
      <h1>For teachers</h1>
      <p>
        The playground shows what a generative flow network (GFlowNet) learns, with exact numbers: the page
        knows every state of its problems, so no curve has sampling error, and the best that any policy can
        reach is computed before anything is trained. It suits a course in reinforcement learning,
        probabilistic models or sequence design. Learners need to know what a probability distribution is; no
        programming is needed.
      </p>
      <h2>What learners can see for themselves</h2>
      <ul>
        <li>
          A GFlowNet does not look for the best object, but draws all of them in proportion to their reward.
        </li>
        <li>
          Noise in the environment limits what any policy can reach; the limit is a number, not an opinion.
        </li>
        <li>
          An objective that ignores the noise converges to a wrong distribution, however long it trains.
        </li>
        <li>An objective that learns the noise reaches the limit.</li>
        <li>
          Exploration, the reward exponent and the network change how fast and how far the training goes.
        </li>
      </ul>
      <h2>A lesson of 45 minutes</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Minutes</th>
            <th scope="col">What happens</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>5</td>
            <td>
              Draw a grid of 3 × 3 with rewards on the board. Ask: how often should a fair sampler stop in
              each cell?
            </td>
          </tr>
          <tr>
            <td>15</td>
            <td>
              Pairs go through the <a href="#/tour/1">tour</a>. Each step says when it has been seen.
            </td>
          </tr>
          <tr>
            <td>15</td>
            <td>Pairs choose two of the exercises below, predict, train, and note the exact distances.</td>
          </tr>
          <tr>
            <td>10</td>
            <td>Collect predictions that were wrong, and explain them from the kernel and the limit.</td>
          </tr>
        </tbody>
      </table>
      <h2>Exercises</h2>
      <p>Each link only sets the controls; training begins when a learner presses Train.</p>
      <ol>
        {EXERCISES.map(({ question, answer, settings }) => (
          <li key={question}>
            <p>
              {question} <a href={`#/?${queryOf(settings)}`}>Open the settings</a>
            </p>
            <details>
              <summary>Answer</summary>
              <p>{answer}</p>
            </details>
          </li>
        ))}
      </ol>
      <h2>What to prepare</h2>
      <ul>
        <li>
          Any recent browser, also on a phone. The engine is loaded once; after that the page works without a
          network, so open it in advance where the network is slow.
        </li>
        <li>
          Nothing that learners enter leaves their browser: no account, no cookies, no requests to other
          sites. Pictures and tables are not part of the address.
        </li>
        <li>The address holds the settings: send it to hand out an exercise.</li>
        <li>
          Everything works by keyboard and with a screen reader; colours can be told apart with colour-blind
          eyes, and there are light and dark pages.
        </li>
        <li>
          “Save result” gives a file. <code>gflownet import FILE</code> makes a run of it for the command line
          and the dashboard, for learners who want to go on in code.
        </li>
      </ul>
      <h2>The words</h2>
      <dl class="facts">
        <dt>Target</dt>
        <dd>reward of each object, divided by the sum of all rewards</dd>
        <dt>Total variation</dt>
        <dd>
          half of the sum of all differences of two distributions; 0 if they are equal, 1 if they share
          nothing
        </dd>
        <dt>Limit</dt>
        <dd>the smallest distance from the target that any policy has under the noise</dd>
        <dt>Kernel</dt>
        <dd>the probability of each outcome, given the intended action</dd>
        <dt>Flow</dt>
        <dd>the probability that a trajectory passes through a state</dd>
      </dl>
      <p>
        The tour has {TOUR.length} steps: {TOUR.map(({ title }) => title.toLowerCase()).join("; ")}.
      </p>
    </article>
  );
}

const GRID = settingsFor("hypergrid");

const EXERCISES: readonly {
  readonly question: string;
  readonly answer: string;
  readonly settings: PlaygroundSettings;
}[] = [
  {
    question:
      "Without noise, do detailed balance, trajectory balance and the KL form end at different distributions?",
    answer:
      "No. Without noise all of them have the same solution, the target. They differ in how fast they come near it.",
    settings: { ...GRID, stick: 0, objective: "tb" },
  },
  {
    question: "With trajectory balance at a noise of 0.5: which cells get too much probability, and why?",
    answer:
      "Look at the map learned − target. The objective takes noisy moves for intended ones, so the paths on which noise often changes a move are judged wrongly, and the cells at their ends get too much or too little.",
    settings: { ...GRID, stick: 0.5, objective: "tb" },
  },
  {
    question: "Why does the limit stay at 0 for weak noise on this grid?",
    answer:
      "A policy can aim differently to make up for weak noise: it chooses the move so that the mixture of intended and random moves is what it needs. From some noise on, a move would have to be chosen with a probability above 1.",
    settings: { ...GRID, stick: 0.35, objective: "kl" },
  },
  {
    question: "Set the reward exponent to 8. What happens to the target, and to the limit?",
    answer:
      "The target concentrates on the cells of highest reward. It then needs more precise aim, so the same noise leaves a larger distance: the limit rises.",
    settings: { ...GRID, stick: 0.5, rewardExponent: 8 },
  },
  {
    question:
      "Set exploration to 0. Does the training still find all four corners, and how close does it come?",
    answer:
      "It does on this grid: an untrained policy stops almost anywhere, so it sees every corner by itself. After the same number of iterations it is farther from the target than with exploration, which you can read from the exact total variation.",
    settings: { ...GRID, stick: 0, objective: "tb", exploration: 0, iterations: 400 },
  },
];
