// Tests of the tree of flows: widths, places that do not overlap, and children that are merged.

import { describe, expect, test } from "vitest";
import { textsOf } from "../../test/support/svg.ts";
import { edgePath, type FlowChildData, flowLayout } from "./flow-layout.ts";
import { flowTreeChart } from "./flow-tree-chart.ts";

const child = (label: string, learned: number, children: FlowChildData[] = []): FlowChildData => ({
  ...{ outcome: label.charCodeAt(0) - 65, label, state: label, isObject: children.length === 0 },
  ...{ learned, target: learned / 2, limit: null, children },
});
const root = (children: FlowChildData[]) => ({ state: "", learned: 1, target: 1, limit: null, children });
const many = Array.from({ length: 60 }, (_, i) => child(String.fromCharCode(65 + i), (60 - i) / 1830));

describe("the layout of a tree", () => {
  const tree = root([child("A", 0.75, [child("B", 0.5), child("C", 0.25)]), child("D", 0.25)]);
  const { nodes, edges, height } = flowLayout(tree, { flowHeight: 200 });

  test("has edges as wide as their flow, which leave a node side by side", () => {
    expect(edges.map(({ thickness }) => thickness).sort((a, b) => b - a)).toEqual([150, 100, 50, 50]);
    const fromRoot = edges.filter(({ from }) => from === 0).sort((a, b) => a.y0 - b.y0);
    expect(fromRoot[1].y0 - fromRoot[0].y0).toBeCloseTo((150 + 50) / 2, 6);
    for (const { to, thickness, y1 } of edges)
      expect([nodes[to].thickness, nodes[to].y]).toEqual([thickness, y1]);
  });

  test("has columns by depth, in which nodes do not overlap", () => {
    for (const depth of [0, 1, 2]) {
      const column = nodes.filter((node) => node.depth === depth).sort((a, b) => a.y - b.y);
      expect(new Set(column.map(({ x }) => x)).size).toBe(1);
      for (const [i, node] of column.entries()) {
        expect(node.y - node.thickness / 2).toBeGreaterThanOrEqual(0);
        expect(node.y + node.thickness / 2).toBeLessThanOrEqual(height);
        const below = column[i + 1];
        if (below) expect(below.y - below.thickness / 2).toBeGreaterThan(node.y + node.thickness / 2);
      }
    }
  });

  test("names the outcomes that lead to a node", () => {
    expect(nodes.map(({ label, path }) => [label, path])).toEqual([
      ["", []],
      ["A", [0]],
      ["B", [0, 1]],
      ["C", [0, 2]],
      ["D", [3]],
    ]);
    expect(nodes.map(({ isOpen }) => isOpen)).toEqual([true, true, false, false, false]);
  });
});

describe("children that are too many", () => {
  const { nodes } = flowLayout(root(many), { mostLeaves: 10 });

  test("are merged into one with the sum of their flow, the lightest first", () => {
    const last = nodes[nodes.length - 1];
    expect(nodes).toHaveLength(1 + 9 + 1);
    expect(last).toMatchObject({ merged: 51, path: null, label: "51 others", isObject: false });
    expect(nodes.slice(1).reduce((sum, { learned }) => sum + learned, 0)).toBeCloseTo(1, 12);
    expect(last.target).toBeCloseTo(last.learned / 2, 12);
    expect(nodes.slice(1, 10).map(({ label }) => label)).toEqual(many.slice(0, 9).map(({ label }) => label));
  });

  test("of the second level leave room for each other", () => {
    const wide = flowLayout(root(many.map((each) => ({ ...each, children: many }))), { mostLeaves: 36 });
    const leaves = wide.nodes.filter(({ isOpen }) => !isOpen);
    expect(leaves.length).toBeLessThanOrEqual(36);
    expect(leaves.length).toBeGreaterThan(20);
  });
});

test("a state without flow and a state without children have a layout", () => {
  const { nodes, edges } = flowLayout({ ...root([child("A", 0)]), learned: 0 });
  expect(nodes).toHaveLength(2);
  expect(edges[0].thickness).toBe(1);
  expect(flowLayout(root([])).nodes).toHaveLength(1);
});

test("the path of an edge is a closed band of its thickness", () => {
  const path = edgePath({ from: 0, to: 1, x0: 0, y0: 10, x1: 100, y1: 50, thickness: 8 });
  expect(path).toBe("M0,6C50,6,50,46,100,46L100,54C50,54,50,14,0,14Z");
});

test("the chart shows learned and target probabilities, colours their ratio, and escapes states", () => {
  const data = {
    ...{ exact: true, notes: ["A note."], labels: ["A"], state: "A", learned: 1, target: 1, limit: null },
    children: [
      { ...child("B", 0.5), target: 0.5 },
      { ...child("C", 0.5), state: "<script>", target: 0.125 },
    ],
  };
  const svg = flowTreeChart(data);
  const texts = textsOf(svg);
  expect(texts).toContain("Flow from A");
  expect(texts).toContain("B  0.5 (0.5)");
  expect(texts).toContain("&lt;script&gt;  0.5 (0.125)");
  expect(texts).toContain("A note.");
  const fills = [...svg.matchAll(/<path d="M[^"]*Z" fill="([^"]+)"/g)].map(([, fill]) => fill);
  expect(new Set(fills).size).toBe(2);
  const unknown = flowTreeChart({
    ...data,
    children: data.children.map((each) => ({ ...each, target: null })),
  });
  expect(textsOf(unknown)).toContain("B  0.5");
  expect(flowTreeChart({ ...data, children: [] })).toContain("no data");
});
