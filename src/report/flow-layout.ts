// Layout of the flow through a tree of states: nodes in columns by depth, and edges as wide as their flow. The chart and the
// page draw it.

/** A node with the probabilities that a trajectory passes through it. */
export interface FlowNodeData {
  readonly state: string;
  readonly learned: number;
  /** Null if it is not known. */
  readonly target: number | null;
  readonly limit: number | null;
  readonly children?: readonly FlowChildData[];
}

export interface FlowChildData extends FlowNodeData {
  /** The outcome that leads to it. */
  readonly outcome: number;
  readonly label: string;
  readonly isObject: boolean;
}

/** A node with its place. The root has no label and no outcome. */
export interface PlacedNode extends Omit<FlowNodeData, "children"> {
  readonly id: number;
  readonly parent: number | null;
  readonly depth: number;
  /** Outcomes from the root; null for a node that stands for several children. */
  readonly path: readonly number[] | null;
  readonly label: string;
  readonly isObject: boolean;
  /** Number of children that the node stands for, because they are too many; 1 for a node of its own. */
  readonly merged: number;
  /** Whether the layout has children of the node. */
  readonly isOpen: boolean;
  /** Left end and middle in pixels; the node is `thickness` high. */
  readonly x: number;
  readonly y: number;
  readonly thickness: number;
}

/** An edge from the right of a node to the left of its child, `thickness` wide, between the middles of its ends. */
export interface PlacedEdge {
  readonly from: number;
  readonly to: number;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly thickness: number;
}

export interface FlowLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export interface FlowLayoutOptions {
  /** Width in pixels, with room for the labels of the last column. Default: 692. */
  readonly width?: number;
  /** Room for labels at the right of the last column. Default: 210. */
  readonly labelWidth?: number;
  /** Thickness of the whole flow. Default: 240. */
  readonly flowHeight?: number;
  /** Height of a leaf at least, so that its label fits. Default: 17. */
  readonly leafHeight?: number;
  /** Leaves that are shown, about; the lightest children of a node are merged into one. Default: 36. */
  readonly mostLeaves?: number;
}

/** Width of a node, in pixels. */
export const NODE_WIDTH = 7;
const GAP = 4;

interface Branch {
  readonly data: FlowChildData;
  readonly path: readonly number[] | null;
  readonly merged: number;
  readonly children: readonly Branch[];
}

export function flowLayout(root: FlowNodeData, options: FlowLayoutOptions = {}): FlowLayout {
  const { width = 692, labelWidth = 210, flowHeight = 240, leafHeight = 17 } = options;
  const { mostLeaves = 36 } = options;
  const top = branch({ outcome: -1, label: "", isObject: false, ...root }, [], mostLeaves);
  const levels = depthOf(top);
  const column = levels === 0 ? 0 : (width - labelWidth - NODE_WIDTH) / levels;
  const perFlow = root.learned > 0 ? flowHeight / root.learned : 0;
  const thicknessOf = ({ learned }: { readonly learned: number }) => Math.max(1, learned * perFlow);
  const nodes: PlacedNode[] = [];
  const edges: PlacedEdge[] = [];
  const slotOf = (each: Branch): number => {
    const own = Math.max(leafHeight, thicknessOf(each.data)) + GAP;
    return Math.max(own, sum(each.children.map(slotOf)));
  };

  /** Places a branch in a slot from y on. */
  function place(each: Branch, depth: number, parent: number | null, y: number): PlacedNode {
    const id = nodes.length;
    const { children: _, outcome: __, ...data } = each.data;
    const slot = slotOf(each);
    const [x, thickness] = [depth * column, thicknessOf(each.data)];
    const node: PlacedNode = {
      ...{
        ...data,
        id,
        parent,
        depth,
        path: each.path,
        merged: each.merged,
        isOpen: each.children.length > 0,
      },
      ...{ x, y: y + slot / 2, thickness },
    };
    nodes.push(node);
    const wanted = each.children.map(({ data: child }) => thicknessOf(child));
    // The edges leave the node side by side; rounding and thin edges may need more than its height.
    const squeeze = Math.min(1, thickness / Math.max(sum(wanted), 1e-9));
    let offset = node.y - (squeeze * sum(wanted)) / 2;
    let next = y + (slot - sum(each.children.map(slotOf))) / 2;
    each.children.forEach((child, i) => {
      const placed = place(child, depth + 1, id, next);
      next += slotOf(child);
      edges.push({
        ...{ from: id, to: placed.id, x0: x + NODE_WIDTH, y0: offset + (squeeze * wanted[i]) / 2 },
        ...{ x1: placed.x, y1: placed.y, thickness: wanted[i] },
      });
      offset += squeeze * wanted[i];
    });
    return node;
  }

  place(top, 0, null, 0);
  return { nodes, edges, width, height: slotOf(top) };
}

/** The outline of an edge as the `d` of an SVG path. */
export function edgePath({ x0, y0, x1, y1, thickness }: PlacedEdge): string {
  const half = thickness / 2;
  const middle = (x0 + x1) / 2;
  const at = (...numbers: number[]) => numbers.map((value) => Number(value.toFixed(2)) + 0).join(",");
  return [
    `M${at(x0, y0 - half)}C${at(middle, y0 - half, middle, y1 - half, x1, y1 - half)}`,
    `L${at(x1, y1 + half)}C${at(middle, y1 + half, middle, y0 + half, x0, y0 + half)}Z`,
  ].join("");
}

/** A branch with about as many leaves at most: its heaviest children in their order, and one for the others. */
function branch(data: FlowChildData, path: readonly number[], leaves: number): Branch {
  const children = data.children ?? [];
  // Nodes that are unfolded in turn leave room for their own children.
  const isUnfolded = children.some((child) => (child.children?.length ?? 0) > 1);
  const most = Math.max(1, Math.floor(isUnfolded ? leaves / 3 : leaves));
  const weight = (child: FlowChildData) => Math.max(child.learned, child.target ?? 0);
  const kept = new Set(
    children.length <= most
      ? children
      : children.toSorted((a, b) => weight(b) - weight(a)).slice(0, most - 1),
  );
  const others = children.filter((child) => !kept.has(child));
  const each = leaves / Math.max(1, kept.size + Math.min(1, others.length));
  return {
    ...{ data, path, merged: 1 },
    children: [
      ...children
        .filter((child) => kept.has(child))
        .map((child) => branch(child, [...path, child.outcome], each)),
      ...(others.length > 0 ? [mergedBranch(others)] : []),
    ],
  };
}

function mergedBranch(children: readonly FlowChildData[]): Branch {
  const total = (of: (child: FlowChildData) => number | null) =>
    children.some((child) => of(child) === null) ? null : sum(children.map((child) => of(child) ?? 0));
  const label = children.length === 1 ? "1 other" : `${children.length} others`;
  const data = {
    ...{
      outcome: -1,
      label,
      state: label,
      isObject: false,
      learned: sum(children.map(({ learned }) => learned)),
    },
    ...{ target: total(({ target }) => target), limit: total(({ limit }) => limit) },
  };
  return { data, path: null, merged: children.length, children: [] };
}

function depthOf({ children }: Branch): number {
  return children.length === 0 ? 0 : 1 + Math.max(...children.map(depthOf));
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
