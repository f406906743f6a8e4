/** Something with a place in an order. */
export interface Sorted {
  /** The order code of the place; no two items of a list have the same one. */
  readonly sortKey: string;
}

/** A chunk is split when it has more items. */
const CHUNK_COUNT_MAX = 512;

/** Items in the order of their sort keys. Every operation on one item is O(√n) with small factors. */
export class Ordered<Item extends Sorted> {
  private chunks: Item[][] = [[]];
  /** The number of items. */
  size = 0;

  /** The first item; null if there is none. */
  get first(): Item | null { return this.chunks[0][0] ?? null; }

  /** The last item; null if there is none. */
  get last(): Item | null {
    const chunk = this.chunks[this.chunks.length - 1];
    return chunk[chunk.length - 1] ?? null;
  }

  /** Inserts an item. Returns its index. */
  insert(item: Item): number {
    const at = this.chunkOf(item.sortKey);
    const chunk = this.chunks[at];
    const place = lowerBound(chunk, item.sortKey);
    chunk.splice(place, 0, item);
    this.size += 1;
    const index = this.before(at) + place;
    if (chunk.length > CHUNK_COUNT_MAX) this.chunks.splice(at + 1, 0, chunk.splice(CHUNK_COUNT_MAX >> 1));
    return index;
  }

  /** Removes an item, which the list has. Returns its index. */
  remove(item: Item): number {
    const at = this.chunkOf(item.sortKey);
    const chunk = this.chunks[at];
    const place = lowerBound(chunk, item.sortKey);
    chunk.splice(place, 1);
    this.size -= 1;
    const index = this.before(at) + place;
    if (chunk.length === 0 && this.chunks.length > 1) this.chunks.splice(at, 1);
    return index;
  }

  /** Returns the index of an item, which the list has. */
  index({ sortKey }: Sorted): number {
    const at = this.chunkOf(sortKey);
    return this.before(at) + lowerBound(this.chunks[at], sortKey);
  }

  /** Returns the item with a sort key; null if there is none. */
  find(sortKey: string): Item | null {
    const chunk = this.chunks[this.chunkOf(sortKey)];
    const item = chunk[lowerBound(chunk, sortKey)];
    return item?.sortKey === sortKey ? item : null;
  }

  /** Returns the items of a window. */
  slice(offset: number, limit: number): Item[] {
    const items: Item[] = [];
    let skipped = 0;
    for (const chunk of this.chunks) {
      if (items.length >= limit) break;
      const start = Math.max(0, offset - skipped);
      skipped += chunk.length;
      if (start < chunk.length) items.push(...chunk.slice(start, Math.min(chunk.length, start + limit - items.length)));
    }
    return items;
  }

  private before(chunk: number): number {
    let count = 0;
    for (let at = 0; at < chunk; at += 1) count += this.chunks[at].length;
    return count;
  }

  /** Returns the index of the chunk in which a sort key is, or would be. */
  private chunkOf(sortKey: string): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.chunks[middle];
      if (chunk[chunk.length - 1].sortKey < sortKey) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function lowerBound(chunk: readonly Sorted[], sortKey: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chunk[middle].sortKey < sortKey) low = middle + 1;
    else high = middle;
  }
  return low;
}
