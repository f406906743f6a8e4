/** One step of a list's change: a subset of RFC 6902 over whole elements. */
export type ListStep<Node> =
  | { op: "add"; node: Node; at: number; } | { op: "remove"; node: Node; at: number; }
  | { op: "replace"; node: Node; at: number; } | { op: "move"; node: Node; from: number; at: number; };

/**
 * Returns the steps from one order of distinct elements to another, with the fewest possible moves, then the
 * replacements. O(n log n) for the part between the common beginning and the common end.
 */
export function listSteps<Node>(
  before: readonly Node[], after: readonly Node[], isReplaced: (node: Node) => boolean,
): ListStep<Node>[] {
  const countMax = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < countMax && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < countMax - prefix && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix += 1;
  const old = before.slice(prefix, before.length - suffix);
  const fresh = after.slice(prefix, after.length - suffix);
  const steps: ListStep<Node>[] = [];
  const indexes = new Map(fresh.map((node, index) => [node, prefix + index]));
  for (let index = old.length - 1; index >= 0; index -= 1) {
    const node = old[index];
    if (!indexes.has(node)) steps.push({ op: "remove", node, at: prefix + index });
  }
  const kept: number[] = [];
  for (const node of old) {
    const index = indexes.get(node);
    if (index !== undefined) kept.push(index);
  }
  arrange(kept, fresh, prefix, steps);
  const replaced = (index: number): void => {
    if (isReplaced(after[index])) steps.push({ op: "replace", node: after[index], at: index });
  };
  for (let index = 0; index < prefix; index += 1) replaced(index);
  for (const index of [...kept].sort((left, right) => left - right)) replaced(index);
  for (let index = after.length - suffix; index < after.length; index += 1) replaced(index);
  return steps;
}

/** Moves kept elements, given by their new indexes in their old order, into place, and adds the new ones. */
function arrange<Node>(kept: readonly number[], fresh: readonly Node[], offset: number, steps: ListStep<Node>[]): void {
  const stays = longestRun(kept);
  const waiting = new Counts(stays.map((isStaying) => !isStaying));
  const oldIndexes = new Array<number>(fresh.length).fill(-1);
  const stayingBefore: number[] = [];
  let count = 0;
  kept.forEach((target, index) => {
    oldIndexes[target - offset] = index;
    stayingBefore.push(count);
    if (stays[index]) count += 1;
  });
  const nextStaying: number[] = [];
  let next = offset + fresh.length;
  for (let index = kept.length - 1; index >= 0; index -= 1) {
    nextStaying[index] = next;
    if (stays[index]) next = kept[index];
  }
  let anchor = -1;
  fresh.forEach((node, position) => {
    const target = offset + position;
    const old = oldIndexes[position];
    if (old >= 0 && stays[old]) {
      anchor = old;
      return;
    }
    let from = -1;
    if (old >= 0) {
      // Before the anchor, all elements up to the next unmoved one are already in place.
      from = old < anchor
        ? nextStaying[old] + waiting.before(old)
        : target + waiting.before(old) + stayingBefore[old] - (anchor < 0 ? 0 : stayingBefore[anchor] + 1);
      waiting.remove(old);
    }
    const at = target + (anchor < 0 ? 0 : waiting.before(anchor));
    steps.push(old < 0 ? { op: "add", node, at } : { op: "move", node, from, at });
  });
}

/** Returns for each value whether it belongs to the longest ascending subsequence. O(n log n). */
function longestRun(values: readonly number[]): boolean[] {
  const ends: number[] = [];
  const previous: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]] < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const isMember = new Array<boolean>(values.length).fill(false);
  for (let index = ends[ends.length - 1] ?? -1; index >= 0; index = previous[index]) isMember[index] = true;
  return isMember;
}

/** Counts the taken places below any place, with updates in O(log n): a Fenwick tree. */
class Counts {
  private readonly sums: number[];

  constructor(taken: readonly boolean[]) {
    this.sums = [0, ...taken.map((isTaken) => isTaken ? 1 : 0)];
    for (let index = 1; index < this.sums.length; index += 1) {
      const parent = index + (index & -index);
      if (parent < this.sums.length) this.sums[parent] += this.sums[index];
    }
  }

  before(place: number): number {
    let sum = 0;
    for (let index = place; index > 0; index &= index - 1) sum += this.sums[index];
    return sum;
  }

  remove(place: number): void {
    for (let index = place + 1; index < this.sums.length; index += index & -index) this.sums[index] -= 1;
  }
}
