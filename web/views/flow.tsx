// The flow as a tree of states: edge widths are flows, learned beside target; choosing a node descends.

import { useMemo } from "preact/hooks";
import { edgePath, flowLayout, NODE_WIDTH, type PlacedNode } from "../../src/report/flow-layout.ts";
import { shortNumber } from "../../src/report/text-format.ts";
import type { FlowChild, FlowView } from "../../src/views/view-data.ts";
import { Value } from "../components/parts.tsx";
import { ScrollArea } from "../components/scroll-area.tsx";
import type { ViewProps } from "./view-props.ts";

/** Two trees stand side by side on a wide page, and below each other on a phone. */
const WIDE = { width: 560, labelWidth: 150, flowHeight: 200, leafHeight: 16 };
const NARROW = { width: 350, labelWidth: 90, flowHeight: 200, leafHeight: 16 };

export function Flow({ data, choose, has }: ViewProps<FlowView>) {
  const target = useMemo(() => targetTree(data), [data]);
  const go = (path: readonly number[]) => choose({ path });
  const below = (path: readonly number[]) => [...data.path, ...path];
  const canOpen = ({ isObject, depth, path }: PlacedNode) =>
    !isObject && depth > 0 && path !== null && has({ path: below(path) });
  const open = (path: readonly number[]) => go(below(path));
  const source = data.exact ? "exact" : "sampled";
  const hasLimit = data.children.some(({ limit }) => limit !== null);
  return (
    <div class="stack">
      <nav aria-label="Path from the start">
        <ol class="crumbs">
          {["start", ...data.labels].map((label, i) => {
            const path = data.path.slice(0, i);
            const isLast = i === data.labels.length;
            return (
              <li key={path.join()}>
                {isLast ? (
                  <strong aria-current="location">{label}</strong>
                ) : (
                  <button type="button" class="plain" onClick={() => go(path)}>
                    {label}
                  </button>
                )}
              </li>
            );
          })}
        </ol>
      </nav>
      <div class="columns">
        <Tree title="Learned" data={data} go={open} canOpen={canOpen} />
        {data.target !== null && <Tree title="Target" data={target} go={open} canOpen={canOpen} />}
      </div>
      <ScrollArea label="Flow by child">
        <table data-test="flow-table">
          <caption class="hidden-text">Flow through the children of {data.state}</caption>
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Learned
              </th>
              <th scope="col" class="number">
                Target
              </th>
              {hasLimit && (
                <th scope="col" class="number">
                  Limit
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {data.children.map((child) => {
              const path = [...data.path, child.outcome];
              return (
                <tr key={child.outcome}>
                  <th scope="row">
                    {!child.isObject && has({ path }) ? (
                      <button type="button" class="plain" onClick={() => go(path)} data-test="descend">
                        {child.label} ›
                      </button>
                    ) : (
                      child.label
                    )}
                  </th>
                  <td class="mono">{child.state}</td>
                  <td class="number">
                    <Value value={child.learned} source={source} />
                  </td>
                  <td class="number">
                    <Value value={child.target} source="exact" />
                  </td>
                  {hasLimit && (
                    <td class="number">
                      <Value value={child.limit} source="exact" />
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollArea>
    </div>
  );
}

/** A tree whose edges are as wide as the flow; nodes that can be opened are buttons. */
function Tree({
  title,
  data,
  go,
  canOpen,
}: {
  readonly title: string;
  readonly data: FlowView;
  go(path: readonly number[]): void;
  canOpen(node: PlacedNode): boolean;
}) {
  const size = matchMedia("(max-width: 640px)").matches ? NARROW : WIDE;
  const { nodes, edges, width, height } = useMemo(() => flowLayout(data, size), [data, size]);
  return (
    <figure class="stack">
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no element for a group of buttons */}
      <svg
        viewBox={`0 0 ${width} ${height + 8}`}
        class="flow"
        font-size="12"
        role="group"
        aria-label={`${title} flow below ${data.state}`}
      >
        {edges.map((edge) => (
          <path key={edge.to} d={edgePath(edge)} fill="var(--series-1)" fill-opacity="0.3">
            <title>{`${nodes[edge.to].state}: ${shortNumber(nodes[edge.to].learned)}`}</title>
          </path>
        ))}
        {nodes.map((node) => (
          <TreeNode
            key={node.id}
            node={node}
            go={canOpen(node) && node.path !== null ? () => go(node.path!) : null}
          />
        ))}
      </svg>
    </figure>
  );
}

function TreeNode({ node, go }: { readonly node: PlacedNode; readonly go: (() => void) | null }) {
  const { x, y, thickness, depth, label, state, learned } = node;
  const text = `${depth === 0 ? state : label} ${percent(learned)}`;
  const mark = (
    <>
      <rect
        {...{ x, y: y - thickness / 2, width: NODE_WIDTH, height: thickness }}
        rx="1.5"
        fill={node.isObject ? "var(--series-3)" : "var(--series-1)"}
      />
      <text
        x={x + NODE_WIDTH + 5}
        y={y + 4}
        fill="var(--ink)"
        stroke="var(--figure-ground)"
        stroke-width="3"
        paint-order="stroke"
      >
        {text}
      </text>
    </>
  );
  if (go === null) return <g>{mark}</g>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
    <g
      role="button"
      tabIndex={0}
      class="node"
      aria-label={`descend to ${state}, ${text}`}
      onClick={go}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      }}
    >
      {mark}
    </g>
  );
}

/** The tree of the target: its flow in place of the learned one. */
function targetTree(view: FlowView): FlowView {
  const swapped = (child: FlowChild): FlowChild => ({
    ...child,
    learned: child.target ?? 0,
    children: child.children?.map(swapped),
  });
  return { ...view, learned: view.target ?? 0, children: view.children.map(swapped) };
}

function percent(share: number): string {
  const value = 100 * share;
  return value >= 0.1 || value === 0 ? `${value.toFixed(1)} %` : "< 0.1 %";
}
