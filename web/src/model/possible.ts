/** What the table of rules says of the pips on a region, and of those that are left for it. */

export interface Laid {
  /** The pips on the region. */
  laid: number[];
  /** The number of its empty squares. */
  left: number;
  /** The pips in the tray, in increasing order. */
  rest: number[];
  /** The least and the greatest sum that may result. */
  least: number;
  most: number;
}

export function canBeEqual(laid: number[], left: number, rest: number[]): boolean {
  if (new Set(laid).size > 1) return false;
  const copies = copiesOf(rest);
  const candidates = laid.length ? [copies.get(laid[0] as number) ?? 0] : [...copies.values()];
  return left === 0 || Math.max(0, ...candidates) >= left;
}

export function canDiffer(laid: number[], left: number, rest: number[]): boolean {
  const seen = new Set(laid);
  const fresh = [...copiesOf(rest).keys()].filter((value) => !seen.has(value)).length;
  return seen.size === laid.length && fresh >= left;
}

function copiesOf(values: number[]): Map<number, number> {
  const copies = new Map<number, number>();
  for (const value of values) copies.set(value, (copies.get(value) ?? 0) + 1);
  return copies;
}

export function product(values: number[]): number {
  return values.reduce((all, value) => all * value, 1);
}
