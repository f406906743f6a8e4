// Random numbers from a seed, the same in every run.

/** A generator of 32 bits (mulberry32). */
export class Random {
  constructor(seed) { this.state = seed >>> 0; }

  /** Returns a number from 0 to 1, excluding 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let value = this.state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  below(count) { return Math.floor(this.next() * count); }

  chance(share) { return this.next() < share; }

  pick(values) { return values[this.below(values.length)]; }

  /** Picks by weights: `[[weight, value], …]`. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices[choices.length - 1][1];
  }
}
