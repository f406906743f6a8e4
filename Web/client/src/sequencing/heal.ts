import type { LostRange } from "./lost.js";
import { POSTPONE_DELAY } from "./reconcile.js";

interface Entry {
  /** When to ask, in milliseconds since 1970; null while asking. */
  due: number | null;
  pause: number;
  lostBefore: readonly LostRange[];
}

const PAUSE_MIN = 600_000;
const PAUSE_MAX = 86_400_000;

/**
 * When to request each library's lost events again: 10 minutes after the loss, then after growing pauses up to a day.
 */
export class HealSchedule<Library> {
  private entries = new Map<Library, Entry>();
  private unreachable = new Set<Library>();

  /** The time of the earliest request, in milliseconds since 1970; null if there is none. */
  get nextDue(): number | null {
    let next: number | null = null;
    for (const { due } of this.entries.values()) if (due !== null) next = Math.min(next ?? due, due);
    return next;
  }

  /** Returns the libraries whose request is due. */
  due(now: number): Library[] {
    return [...this.entries].filter(([, entry]) => entry.due !== null && entry.due <= now).map(([library]) => library);
  }

  /** Records that the upstream did not answer for a library. */
  unreached(library: Library): void { this.unreachable.add(library); }

  /** Records that the upstream answered for a library: requests for libraries that it did not answer become due. */
  reached(library: Library, now: number): void {
    this.unreachable.delete(library);
    for (const other of this.unreachable) {
      const entry = this.entries.get(other);
      if (entry !== undefined && entry.due !== null) entry.due = now;
    }
    this.unreachable.clear();
  }

  /** Updates the schedule to the libraries that have lost events now. */
  follow(lossy: readonly Library[], now: number): void {
    const known = new Set(lossy);
    for (const library of this.entries.keys()) if (!known.has(library)) this.entries.delete(library);
    for (const library of lossy) {
      if (!this.entries.has(library)) this.entries.set(library, { due: now + PAUSE_MIN, pause: PAUSE_MIN, lostBefore: [] });
    }
  }

  /** Makes every request due now. */
  makeAllDue(now: number): void {
    for (const entry of this.entries.values()) if (entry.due !== null) Object.assign(entry, { due: now, pause: PAUSE_MIN });
  }

  /** Records that a library's lost events are being requested. */
  asked(library: Library, lost: readonly LostRange[]): void {
    const entry = this.entries.get(library);
    if (entry !== undefined) Object.assign(entry, { due: null, lostBefore: lost });
  }

  /** Postpones a request that cannot be made now by one second. */
  postpone(library: Library, now: number): void {
    const entry = this.entries.get(library);
    if (entry !== undefined) entry.due = now + POSTPONE_DELAY;
  }

  /** Records the response for a library: schedules the next request, or none if nothing is lost any more. */
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

  /** True while a library's lost events are being requested. */
  isAsking(library: Library): boolean { return this.entries.get(library)?.due === null; }
}
