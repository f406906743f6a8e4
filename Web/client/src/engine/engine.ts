// The engine: one owner of a state, with time, an upstream and a journal around it. Everything runs in one thread, each
// step to its end: nothing comes between a change and its notifications.

import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import type { EventSource } from "../sequencing/held.js";
import type { DamagedRecord } from "../journal/damage.js";
import { Methods } from "../methods/methods.js";
import { edits, gaps, journal, lists, upkeep } from "../parts/index.js";
import type { Part } from "../parts/part.js";
import { take } from "../state/apply.js";
import type { GapPatience } from "../state/reconcile.js";
import type { Policy } from "../state/ages.js";
import type { Miss } from "../state/reads.js";
import { State } from "../state/state.js";
import { isCrowded, statusOf } from "../state/watch.js";
import type { LibraryStatus } from "../state/records.js";
import { EventDecoder } from "../wire/decoder.js";
import { LineFramer } from "../wire/framer.js";
import type { ChangeEvent, DecodedLine, Line } from "../wire/events.js";
import type { CacheClock } from "./clock.js";
import type { Gaps } from "./gaps.js";
import { InputQueue } from "./input.js";
import type { Refuse, Step } from "./input.js";
import type { Sink } from "./notifications.js";
import { Observers } from "./observers.js";
import type { Outbox } from "./outbox.js";
import { PositionWaiters } from "./positions.js";
import type { Journal, TextUpstream } from "./ports.js";
import type { Queries } from "./queries.js";
import type { Refreshes } from "./refreshes.js";
import { NoFlusher } from "./storage.js";
import type { Storage } from "./storage.js";

/** What an engine is told when it is made. */
export interface EngineOptions {
  library: string;
  upstream: TextUpstream | null;
  journal: Journal | null;
  limits: Limits;
  clock: CacheClock;
  /** Returns a number in 0 … 1. */
  random: () => number;
  fetchTimeout: number;
  reorderWindow: number;
  aliases: ReadonlyMap<string, string>;
  policy: Policy | null;
  evictIgnore: readonly string[];
}

/** A cache's moving parts. */
export class Engine {
  readonly state: State;
  readonly clock: CacheClock;
  readonly upstream: TextUpstream | null;
  readonly journal: Journal | null;
  readonly fetchTimeout: number;
  readonly random: () => number;
  readonly observers: Observers;
  /** The readers of queries; null before the first one. */
  queries: Queries | null = null;
  /** What follows gaps; null until something was missing. */
  gaps: Gaps | null = null;
  /** What follows ages; null until something could become too old. */
  refreshes: Refreshes | null = null;
  /** The sending of edits; null before the first edit. */
  outbox: Outbox | null = null;
  flusher: Storage;
  readonly methods: Methods;
  /** Who hears of libraries and commits. */
  readonly sinks = new Set<Sink>();
  /** Who hears that pending edits changed. */
  readonly layerListeners = new Set<() => void>();
  private shownLayers = 0;
  readonly misses: Record<Miss, number> = { absent: 0, expired: 0, evicted: 0, deleted: 0 };
  hitCount = 0;
  /** The records of the journal that could not be used. */
  damage: readonly DamagedRecord[] = [];
  isOpen = false;
  /** Why the journal cannot be used: every request is refused with it. */
  failure: CacheError | null = null;
  isClosed = false;
  /** Whether the cache is about to be closed: no edit is sent any more. */
  private isEnding = false;
  /** Resolves when the journal was read; rejects when it cannot be used. */
  readonly opened: Promise<void>;
  private readonly decoder: EventDecoder;
  private readonly framer: LineFramer;
  private readonly input = new InputQueue(this);
  /** Whether the input has ended: nothing can come late any more. */
  isAtEnd = false;
  private pieceTime: number | null = null;
  readonly positions = new PositionWaiters(this);

  constructor(options: EngineOptions) {
    this.state = new State({
      limits: options.limits, defaultLibrary: options.library, aliases: options.aliases,
      hasUpstream: options.upstream?.eventsSince != null, reorderWindow: options.reorderWindow,
      evictIgnore: options.evictIgnore, policy: options.policy,
    });
    this.clock = options.clock;
    this.upstream = options.upstream;
    this.journal = options.journal;
    this.fetchTimeout = options.fetchTimeout;
    this.random = options.random;
    this.observers = new Observers(this.state);
    this.flusher = new NoFlusher(this);
    this.methods = new Methods(this);
    this.decoder = new EventDecoder(options.limits, options.aliases);
    this.framer = new LineFramer(options.limits.lineByteCountMax, options.limits.quarantineByteCountMax);
    const mayKeepUp = this.state.recency !== null || options.policy !== null;
    const isBare = options.journal === null && (!mayKeepUp || upkeep.isLoaded);
    this.opened = isBare ? Promise.resolve() : this.open(options.journal, options.limits, mayKeepUp);
    if (isBare) this.isOpen = true;
    this.opened.catch((error: unknown) => {
      this.failure = new CacheError("storage_failed", `the journal cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      this.input.fail(this.failure);
    });
  }

  private async open(kept: Journal | null, limits: Limits, mayKeepUp: boolean): Promise<void> {
    if (mayKeepUp) await upkeep.load();
    if (kept !== null) await this.recover(kept, limits);
    if (this.isClosed) return;
    this.isOpen = true;
    this.noteShown();
    this.outbox?.follow(true);
    this.healAll();
    this.drainInput();
    this.afterInput();
  }

  /** Reads the journal. */
  private async recover(kept: Journal, limits: Limits): Promise<void> {
    const [code, contents] = await Promise.all([journal.load(), kept.open()]);
    if (contents.layers.size > 0) await edits.load();
    if (contents.queries.size > 0) await lists.load();
    if (this.isClosed) return;
    this.damage = code.recover(this.state, contents, limits, this.now());
    this.flusher = new code.Flusher(this, kept);
    if (!this.state.layers.isEmpty) this.takeOutbox().restore();
  }

  now(): number { return this.clock.now(); }

  get canFetch(): boolean { return this.upstream?.fetch != null; }

  /** Counts a read: a hit, or why it missed. */
  countRead(miss: Miss | null): void {
    if (miss === null) this.hitCount += 1;
    else this.misses[miss] += 1;
  }

  status(library: string): LibraryStatus { return statusOf(this.state, library); }

  // Input

  /** Runs a step now, or when a full library's upstream has answered and what came before was taken. */
  whenRoom(byteCount: number, body: Step, refuse: Refuse | null = null): void { this.input.run(byteCount, body, refuse); }

  /** Whether input waits for a full library's upstream, for the journal, or for a part of the client. */
  get isWaiting(): boolean { return this.input.isWaiting; }

  /** Resolves when no input waits for a part of the client, or when one cannot be loaded. */
  partsCame(): Promise<void> { return this.input.partsCame(); }

  /** Takes what waited for room. */
  drainInput(): void { this.input.drain(); }

  /** Takes bytes of the stream of lines. */
  ingestBytes(bytes: Uint8Array): void {
    this.frame(bytes, (line) => this.ingestLine(line));
    this.afterInput();
  }

  /** Takes one or several lines of text; the last one needs no end. */
  ingestText(text: string): void {
    let start = 0;
    while (start <= text.length) {
      let end = text.indexOf("\n", start);
      if (end < 0) end = text.length;
      if (end > start || end < text.length) this.ingestLine(this.framer.line(text.slice(start, end)));
      start = end + 1;
    }
    this.afterInput();
  }

  /** Takes one line; a session calls `afterInput` when a piece of input is taken. */
  ingestLine(line: Line): void {
    this.whenRoom(line.byteCount, () => this.applyLine(line));
  }

  /** Ends the stream of bytes: what came after the last LF is a line. */
  endOfBytes(): void { this.framer.end((line) => this.ingestLine(line)); }

  private applyLine(line: Line): Part<unknown> | null { return this.applyDecoded(line, this.decoder.decode(line)); }

  /** Says what a line is. */
  decode(line: Line): DecodedLine { return this.decoder.decode(line); }

  /** Cuts bytes into the lines of this engine's stream, without taking them. */
  frame(bytes: Uint8Array, body: (line: Line) => void): void {
    // The lines of one piece have one time: they came at once.
    this.pieceTime = this.now();
    this.framer.append(bytes, body);
    this.pieceTime = null;
  }

  /** Gives what came after the last LF as a line. */
  frameEnd(body: (line: Line) => void): void { this.framer.end(body); }

  /** Takes a line that was decoded. Returns the part that it needs, if that is not loaded; then nothing changed. */
  applyDecoded(line: Line, decoded: DecodedLine): Part<unknown> | null {
    const { counts } = this.state;
    const now = this.pieceTime ?? this.now();
    if (!gaps.isLoaded && (decoded.is === "later" || decoded.is === "unusable" || decoded.is === "event" && this.isBehindGap(decoded.event))) return gaps;
    counts.lines += 1;
    switch (decoded.is) {
      case "event":
        if (isCrowded(this.state)) upkeep.code.evict(this.state, now);
        take(this.state, decoded.event, sourceOf(line), now);
        if (this.state.watched.length > 0 && this.state.watched.some((library) => library.gate.held.isOver)) this.followGaps("endless");
        break;
      case "unusable": gaps.code.setLineAside(this.state, line, decoded.line, now); break;
      case "blank": counts.blank += 1; break;
      case "control": counts.control += 1; break;
      case "message": counts.messages += 1; break;
    }
    if (this.state.log.length > 0 || this.state.tap !== null || this.state.layers.hasChangedRequests) this.distribute();
    return null;
  }

  /** Whether an event may be late, or a library holds as much as it may. */
  private isBehindGap({ library, sequence }: ChangeEvent): boolean {
    const { libraries, options, watched } = this.state;
    return sequence !== null && libraries.get(library ?? options.defaultLibrary)?.gate.lost.isEmpty === false
      || watched.some(({ gate }) => gate.held.isOver);
  }

  /** Follows up on input: gaps, notifications, and what has to be written. */
  afterInput(): void {
    if (!this.isOpen) return;
    // More input may wait unread: windows end when a timer fires, never between two lines.
    this.followGaps(this.isAtEnd ? "none" : "endless");
    this.distribute();
    this.noteChanged();
  }

  // Parts that are made when they are needed

  /** Looks at what is missing, after input or an answer. */
  private followGaps(patience: GapPatience): void {
    if (this.gaps !== null) return this.gaps.follow(patience);
    if (this.state.watched.length === 0 && this.state.lossCount === 0) return;
    if (gaps.isLoaded) return this.takeGaps().follow(patience);
    gaps.load().then(() => { if (!this.isClosed) this.followGaps(patience); }, () => undefined);
  }

  private takeGaps(): Gaps { return this.gaps ??= new gaps.code.Gaps(this); }

  /** Ends the input: asks for what is missing, and resolves when it came or is lost. */
  async endGaps(): Promise<void> {
    this.isAtEnd = true;
    if (this.gaps === null && this.state.watched.length === 0 && this.state.lossCount === 0) return this.drainInput();
    await gaps.load();
    await this.takeGaps().end();
  }

  /** Asks at once for numbers that were lost, as a cache does when it was opened. */
  private healAll(): void {
    if (this.upstream?.eventsSince == null || ![...this.state.libraries.values()].some(({ gate }) => !gate.lost.isEmpty)) return;
    if (gaps.isLoaded) return this.takeGaps().healAll();
    gaps.load().then(() => { if (!this.isClosed) this.takeGaps().healAll(); }, () => undefined);
  }

  /** Ends the sending of edits. */
  stopSending(): void {
    this.isEnding = true;
    this.outbox?.stop();
  }

  /** Returns the sending of edits, which begins with the first one. */
  takeOutbox(): Outbox {
    if (this.outbox !== null) return this.outbox;
    this.outbox = new edits.code.Outbox(this);
    if (this.isEnding) this.outbox.stop();
    return this.outbox;
  }

  /** Returns the readers of queries, which are made for the first one. */
  takeQueries(): Queries { return this.queries ??= new lists.code.Queries(this); }

  /** Returns what follows ages, which is made for the first one. */
  takeRefreshes(): Refreshes { return this.refreshes ??= new upkeep.code.Refreshes(this); }

  /** Sees to it that observers hear when the time of a list is over. */
  followExpiry(): void {
    if (this.refreshes !== null) return this.refreshes.schedule();
    if (![...this.observers.queries].some((query) => query.expiry !== null)) return;
    if (upkeep.isLoaded) return this.takeRefreshes().schedule();
    upkeep.load().then(() => { if (!this.isClosed) this.followExpiry(); }, () => undefined);
  }

  // Output

  /** Tells observers everything that changed. */
  distribute(): void {
    this.observers.distribute(this.refreshes, this.sinks);
    this.state.tap?.tell();
    this.outbox?.follow();
    this.positions.wake(false);
    if (this.shownLayers === this.state.layers.version) return;
    this.shownLayers = this.state.layers.version;
    for (const listener of [...this.layerListeners]) listener();
  }

  /** Sees to it that what changed is written, and that limits hold. */
  noteChanged(): void { this.flusher.schedule(); }

  /** Adds somebody who hears of libraries and commits. */
  addSink(sink: Sink): void {
    if (!this.state.hasLibraryObservers) this.noteShown();
    this.state.hasLibraryObservers = true;
    this.sinks.add(sink);
  }

  /** Takes the libraries as they are for what observers know. */
  private noteShown(): void {
    for (const library of this.state.libraries.values()) {
      library.shownPhase = library.phase;
      library.shownLost = library.gate.lost.ranges;
    }
  }

  /** Ends everything: nobody is asked any more, gaps are lost, what changed is written. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    if (await this.opened.then(() => false, () => true)) {
      this.isClosed = true;
      return this.journal?.close();
    }
    this.endOfBytes();
    // What waits for a part of the client is performed first, where that can be loaded.
    await this.input.partsCame();
    this.stopSending();
    this.isAtEnd = true;
    this.queries?.fetches.failAll("the cache is closed");
    this.gaps?.failAll("the cache is closed");
    // Where the part cannot be loaded, what is missing stays missing.
    await this.endGaps().catch(() => undefined);
    this.positions.wake(true);
    let failure: unknown = null;
    try {
      await this.flusher.flush();
    } catch (error) {
      failure = error;
    }
    this.isClosed = true;
    this.refreshes?.close();
    this.gaps?.close();
    this.flusher.close();
    this.distribute();
    await this.journal?.close();
    if (failure !== null) throw failure;
  }

  /** Throws where the cache is closed. */
  checkOpen(): void {
    if (this.isClosed) throw new CacheError("storage_failed", "the cache is closed: open another one");
  }
}

/** Returns where an event of a line came from. */
export function sourceOf(line: Line): EventSource {
  return { isUpstream: false, line: line.number, offset: line.offset, byteCount: line.byteCount, text: line.text };
}
