// What a reader does on the page that compares runs and on the list, each as input of mouse and keyboard.

import type { Page } from "playwright-core";

export interface Interaction {
  readonly name: string;
  /** The event that the time begins with: the last one of the input. */
  readonly event: "mousemove" | "mouseup" | "click" | "dblclick" | "change" | "input";
  /** What must be painted: the chart, the values under the pointer, the marked step, or rows of the list. */
  readonly shows: "chart" | "reading" | "mark" | "entry";
  /** Whether the page shows something at once that the answer of the server makes complete. */
  readonly isCompleted?: boolean;
  /** `turn` counts the repetitions, so that no two ask for the same. */
  act(page: Page, turn: number): Promise<void>;
}

/** Where a drag begins and ends, as shares of the width of the chart. Later turns begin a little further right. */
const WIDE = { from: 0.2, to: 0.7 };
const NARROW = { from: 0.4, to: 0.5 };
const SHIFT = 0.007;

type Act = Interaction["act"];

const pressed =
  (label: string, text: string): Act =>
  (page) =>
    page.getByRole("group", { name: label }).getByRole("button", { name: text }).click();

const chosen =
  (label: string, value: string): Act =>
  async (page) => {
    await page.locator("label", { hasText: label }).locator("select").selectOption(value);
  };

const lineSwitch: Act = (page) => page.locator('[data-test="show-line"]').nth(3).click();

const onChart = { event: "click", shows: "chart" } as const;
const byChange = { event: "change", shows: "chart" } as const;

const dragged =
  ({ from, to }: { readonly from: number; readonly to: number }): Act =>
  async (page, turn) => {
    const at = await chartPoint(page);
    await page.mouse.move(...at(from + SHIFT * turn));
    await page.mouse.down();
    await page.mouse.move(...at((from + to) / 2), { steps: 3 });
    await page.mouse.move(...at(to + SHIFT * turn));
    await page.mouse.up();
  };

/** Turns from `first` on are for the second use, so that the page has no answers for these ranges yet. */
const zooms = (where: string, first: number): readonly Interaction[] => {
  const zoom = { event: "mouseup", shows: "chart", isCompleted: true } as const;
  return [
    {
      ...zoom,
      name: `zoom to half of the range${where}`,
      act: (page, turn) => dragged(WIDE)(page, first + turn),
    },
    {
      ...zoom,
      name: `zoom to 5 % of the range${where}`,
      act: (page, turn) => dragged(NARROW)(page, first + turn),
    },
    {
      ...{ name: `back to the whole range${where}`, event: "dblclick", shows: "chart" },
      act: async (page) => page.mouse.dblclick(...(await chartPoint(page))(0.5)),
    },
  ];
};

/** With the lines of single runs, and the means of groups. In this order, the page ends as it began. */
export const CHART_INTERACTIONS: readonly Interaction[] = [
  {
    ...{ name: "move the pointer", event: "mousemove", shows: "reading" },
    act: async (page, turn) => page.mouse.move(...(await chartPoint(page))(0.3 + SHIFT * turn)),
  },
  {
    ...{ name: "choose a step", event: "click", shows: "mark", isCompleted: true },
    act: async (page, turn) => page.mouse.click(...(await chartPoint(page))(0.5 + SHIFT * turn)),
  },
  ...zooms("", 0),
  { ...byChange, name: "hide a line", act: lineSwitch },
  { ...byChange, name: "show the line", act: lineSwitch },
  { ...byChange, name: "smoothing", act: chosen("Smoothing", "15") },
  { ...byChange, name: "no smoothing", act: chosen("Smoothing", "0") },
  { ...onChart, name: "linear scale", act: pressed("Vertical scale", "Linear") },
  { ...onChart, name: "logarithmic scale", act: pressed("Vertical scale", "Log") },
  { ...onChart, name: "seconds as the axis", act: pressed("Horizontal axis", "Seconds") },
  { ...onChart, name: "calls as the axis", act: pressed("Horizontal axis", "Calls") },
  { ...onChart, name: "back to iterations as the axis", act: pressed("Horizontal axis", "Iterations") },
  { ...byChange, name: "another metric", act: chosen("Metric", "gradientNorm") },
  { ...byChange, name: "back to the first metric", act: chosen("Metric", "loss") },
  { ...byChange, name: "every run by itself", act: (page) => page.getByLabel("Group by seed").uncheck() },
  ...zooms(", every run by itself", 20),
  { ...byChange, name: "group by seed", act: (page) => page.getByLabel("Group by seed").check() },
];

export const LIST_INTERACTIONS: readonly Interaction[] = [
  {
    ...{ name: "filter the list", event: "input", shows: "entry" },
    act: async (page, turn) => {
      await page.getByRole("searchbox").focus();
      await page.keyboard.press(String(turn % 10));
    },
  },
  {
    ...{ name: "sort the list", event: "click", shows: "entry" },
    act: (page) => page.getByRole("button", { name: "Name" }).click(),
  },
  {
    ...{ name: "end of the filter", event: "input", shows: "entry" },
    act: async (page) => {
      await page.getByRole("searchbox").focus();
      await page.keyboard.press("Backspace");
    },
  },
];

/** A point inside the axes by its share of their width, in the middle of the height. */
async function chartPoint(page: Page): Promise<(share: number) => [x: number, y: number]> {
  const box = await page.locator(".u-over").boundingBox();
  if (box === null) throw new Error("the page shows no chart");
  return (share) => [box.x + share * box.width, box.y + 0.5 * box.height];
}
