import type { LostRange } from "./lost.js";
import { POSTPONE_DELAY } from "./reconcile.js";

interface Entry {
  /** When to ask; null while asking. */
  due: number | null;
  pause: number;
  lostBefore: readonly LostRange[];
}

const PAUSE_MIN = 600_000;
const PAUSE_MAX = 86_400_000;

/** When each library's lost numbers are asked for again: 10 minutes after the loss, then at growing pauses up to a day. */
export class HealSchedule<Library> {
  private entries = new Map<Library, Entry>();
  private unreachable = new Set<Library>();

  get nextDue(): number | null {
    let next: number | null = null;
    for (const { due } of this.entries.values()) if (due !== null) next = Math.min(next ?? due, due);
    return next;
  }

  due(now: number): Library[] {
    return [...this.entries].filter(([, entry]) => entry.due !== null && entry.due <= now).map(([library]) => library);
  }

  unreached(library: Library): void { this.unreachable.add(library); }

  /** An upstream that answers one library may answer those that it did not answer before. */
  reached(library: Library, now: number): void {
    this.unreachable.delete(library);
    for (const other of this.unreachable) {
      const entry = this.entries.get(other);
      if (entry !== undefined && entry.due !== null) entry.due = now;
    }
    this.unreachable.clear();
  }

  follow(lossy: readonly Library[], now: number): void {
    const known = new Set(lossy);
    for (const library of this.entries.keys()) if (!known.has(library)) this.entries.delete(library);
    for (const library of lossy) {
      if (!this.entries.has(library)) this.entries.set(library, { due: now + PAUSE_MIN, pause: PAUSE_MIN, lostBefore: [] });
    }
  }

  makeAllDue(now: number): void {
    for (const entry of this.entries.values()) if (entry.due !== null) Object.assign(entry, { due: now, pause: PAUSE_MIN });
  }

  asked(library: Library, lost: readonly LostRange[]): void {
    const entry = this.entries.get(library);
    if (entry !== undefined) Object.assign(entry, { due: null, lostBefore: lost });
  }

  postpone(library: Library, now: number): void {
    const entry = this.entries.get(library);
    if (entry !== undefined) entry.due = now + POSTPONE_DELAY;
  }

  answered(library: Library, lost: readonly LostRange[], now: number): void {
    const entry = this.entries.get(library);
    if (entry === undefined || entry.due !== null) return;
    if (lost.length === 0) {
      this.entries.delete(library);
      return;
    }
    const isSame = lost.length === entry.lostBefore.length && lost.every(
      (range, index) => range.first === entry.lostBefore[index].first && range.last === entry.lostBefore[index].last);
    const pause = isSame ? entry.pause : PAUSE_MIN;
    this.entries.set(library, { due: now + pause, pause: Math.min(2 * pause, PAUSE_MAX), lostBefore: [] });
  }

  isAsking(library: Library): boolean { return this.entries.get(library)?.due === null; }
}
