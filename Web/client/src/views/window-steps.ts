import { listSteps } from "../queries/difference.js";
import type { ListStep } from "../queries/difference.js";

/**
 * Returns the steps from one order of distinct rows to another, with the fewest moves. O(rows) without any table if one
 * row moved, entered or left, or if a row left at one end of a window when another entered at the other.
 */
export function windowSteps<Row>(before: readonly Row[], after: readonly Row[]): ListStep<Row>[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let oldEnd = before.length;
  let freshEnd = after.length;
  while (oldEnd > start && freshEnd > start && before[oldEnd - 1] === after[freshEnd - 1]) {
    oldEnd -= 1;
    freshEnd -= 1;
  }
  if (oldEnd === start && freshEnd === start) return [];
  if (oldEnd === start && freshEnd === start + 1) return [{ op: "add", node: after[start], at: start }];
  if (oldEnd === start + 1 && freshEnd === start) return [{ op: "remove", node: before[start], at: start }];
  if (oldEnd !== freshEnd) return listSteps(before, after, () => false);
  const last = oldEnd - 1;
  const [first, end] = [before[start], before[last]];
  /** True if the rows between differ only by a shift. */
  const isShifted = (by: number): boolean => {
    for (let at = start; at < last; at += 1) if (by < 0 ? before[at + 1] !== after[at] : before[at] !== after[at + 1]) return false;
    return true;
  };
  if (isShifted(-1)) {
    if (after[last] === first) return [{ op: "move", node: first, from: start, at: last }];
    // Rows are distinct: the one at the end is new.
    return [{ op: "remove", node: first, at: start }, { op: "add", node: after[last], at: last }];
  }
  if (isShifted(1)) {
    if (after[start] === end) return [{ op: "move", node: end, from: last, at: start }];
    return [{ op: "remove", node: end, at: last }, { op: "add", node: after[start], at: start }];
  }
  return listSteps(before, after, () => false);
}
