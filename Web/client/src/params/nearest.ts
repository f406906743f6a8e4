const LENGTH_MAX = 64;

/** Returns the known name that is most similar to a misspelt one; null if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > LENGTH_MAX) return null;
  const written = letters(name);
  let nearest: { name: string; distance: number; } | null = null;
  for (const candidate of known) {
    const own = distance(written, letters(candidate));
    if (own > Math.max(1, Math.floor(candidate.length / 3)) || nearest !== null && own >= nearest.distance) continue;
    nearest = { name: candidate, distance: own };
  }
  return nearest === null ? null : nearest.name;
}

function letters(name: string): string { return name.replace(/[_.-]/g, "").toLowerCase(); }

/** Returns the edit distance of two texts: insertions, removals, changes and swaps of neighbours. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < right.length; j += 1) {
      let best = Math.min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] === right[j] ? 0 : 1));
      if (i > 0 && j > 0 && left[i] === right[j - 1] && left[i - 1] === right[j]) best = Math.min(best, before[j - 1] + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[right.length];
}
