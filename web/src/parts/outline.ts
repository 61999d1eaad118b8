/** The outline of a set of squares: a path around it, drawn a little inside, with round corners. */

type Point = readonly [number, number];
interface Edge {
  from: Point;
  way: Point;
}

const UNIT = 100;

export function outline(
  squares: Iterable<{ row: number; column: number }>,
  inset: number,
  radius: number,
): string {
  return loops(squares)
    .map((loop) => rounded(corners(loop, inset), radius))
    .join("");
}

/** The edges around the squares, clockwise: what is inside lies to the right of each. */
function loops(squares: Iterable<{ row: number; column: number }>): Edge[][] {
  const inside = new Set<string>();
  const all = [...squares];
  for (const { row, column } of all) inside.add(`${row},${column}`);
  const starts = new Map<string, Edge[]>();
  for (const { row, column } of all) {
    const sides: [number, number, Edge][] = [
      [row - 1, column, { from: [column, row], way: [1, 0] }],
      [row, column + 1, { from: [column + 1, row], way: [0, 1] }],
      [row + 1, column, { from: [column + 1, row + 1], way: [-1, 0] }],
      [row, column - 1, { from: [column, row + 1], way: [0, -1] }],
    ];
    for (const [r, c, edge] of sides)
      if (!inside.has(`${r},${c}`))
        starts.set(String(edge.from), [...(starts.get(String(edge.from)) ?? []), edge]);
  }
  const found: Edge[][] = [];
  for (const first of starts.values()) while (first.length) found.push(follow(first.pop() as Edge, starts));
  return found;
}

function follow(first: Edge, starts: Map<string, Edge[]>): Edge[] {
  const loop = [first];
  for (let edge = first; ;) {
    const { from, way } = edge;
    const open = starts.get(String([from[0] + way[0], from[1] + way[1]])) ?? [];
    // where two squares touch at a corner only, turn right: stay with the same square
    const next = open.findIndex((other) => other.way[0] === -way[1] && other.way[1] === way[0]);
    const taken = open.splice(Math.max(next, 0), 1)[0];
    if (!taken) return loop;
    loop.push(taken);
    edge = taken;
  }
}

function corners(loop: Edge[], inset: number): Point[] {
  return loop.flatMap(({ from, way }, i) => {
    const before = (loop[i - 1] ?? (loop[loop.length - 1] as Edge)).way;
    if (before[0] === way[0] && before[1] === way[1]) return [];
    return [
      [
        from[0] * UNIT + inset * (-before[1] - way[1]),
        from[1] * UNIT + inset * (before[0] + way[0]),
      ] as const,
    ];
  });
}

function rounded(points: Point[], radius: number): string {
  const near = ([x, y]: Point, [toX, toY]: Point): string => {
    const length = Math.hypot(toX - x, toY - y);
    const part = Math.min(radius, length / 2) / length;
    return `${x + (toX - x) * part} ${y + (toY - y) * part}`;
  };
  return `${points
    .map((point, i) => {
      const before = points[i - 1] ?? (points[points.length - 1] as Point);
      const after = points[i + 1] ?? (points[0] as Point);
      return `${i ? "L" : "M"}${near(point, before)}Q${point[0]} ${point[1]} ${near(point, after)}`;
    })
    .join("")}Z`;
}
