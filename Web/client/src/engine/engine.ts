// The engine: one owner of a state, with time, an upstream and a journal around it. Everything runs in one thread, each
// step to its end: nothing comes between a change and its notifications.

import { byteLength } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import type { EventSource } from "../sequencing/held.js";
import { recover } from "../journal/records.js";
import type { DamagedRecord } from "../journal/damage.js";
import { Methods } from "../methods/methods.js";
import { take } from "../state/apply.js";
import { evict, isCrowded } from "../state/eviction.js";
import { setLineAside } from "../state/quarantine.js";
import { isFull } from "../state/reconcile.js";
import type { AnsweredLine } from "../state/reconcile.js";
import type { Policy } from "../state/ages.js";
import type { Miss } from "../state/reads.js";
import { State } from "../state/state.js";
import { statusOf } from "../state/watch.js";
import type { LibraryStatus } from "../state/records.js";
import { EventDecoder } from "../wire/decoder.js";
import { LineFramer } from "../wire/framer.js";
import type { DecodedLine, Line } from "../wire/events.js";
import type { CacheClock } from "./clock.js";
import { Fetches } from "./fetches.js";
import { Flusher } from "./flusher.js";
import { Gaps } from "./gaps.js";
import type { Sink } from "./notifications.js";
import { Observers } from "./observers.js";
import { Outbox } from "./outbox.js";
import type { Journal, TextUpstream } from "./ports.js";
import { Queries } from "./queries.js";
import { Refreshes } from "./refreshes.js";

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
  keptTypes: ReadonlySet<string>;
  keptFields: ReadonlyMap<string, ReadonlySet<string>>;
}

interface PositionWaiter {
  library: string;
  isReached(status: LibraryStatus): boolean;
  done(status: LibraryStatus): void;
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
  readonly queries: Queries;
  readonly fetches: Fetches;
  readonly gaps: Gaps;
  readonly refreshes: Refreshes;
  readonly flusher: Flusher;
  readonly outbox: Outbox;
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
  isClosed = false;
  /** Resolves when the journal was read; rejects when it cannot be used. */
  readonly opened: Promise<void>;
  private readonly decoder: EventDecoder;
  private readonly framer: LineFramer;
  private readonly input: { byteCount: number; body: () => void; }[] = [];
  private inputByteCount = 0;
  private isDraining = false;
  private pieceTime: number | null = null;
  private positionWaiters: PositionWaiter[] = [];

  constructor(options: EngineOptions) {
    this.state = new State({
      limits: options.limits, defaultLibrary: options.library, aliases: options.aliases,
      hasUpstream: options.upstream?.eventsSince != null, reorderWindow: options.reorderWindow,
      keptTypes: options.keptTypes, keptFields: options.keptFields, policy: options.policy,
    });
    this.clock = options.clock;
    this.upstream = options.upstream;
    this.journal = options.journal;
    this.fetchTimeout = options.fetchTimeout;
    this.random = options.random;
    this.observers = new Observers(this.state);
    this.queries = new Queries(this);
    this.fetches = new Fetches(this);
    this.gaps = new Gaps(this);
    this.refreshes = new Refreshes(this);
    this.flusher = new Flusher(this);
    this.outbox = new Outbox(this);
    this.methods = new Methods(this);
    this.decoder = new EventDecoder(options.limits, options.aliases);
    this.framer = new LineFramer(options.limits.lineByteCountMax, options.limits.quarantineByteCountMax);
    this.opened = options.journal === null ? Promise.resolve() : this.open(options.journal, options.limits);
    if (options.journal === null) this.isOpen = true;
    // Who waits for it hears of the failure; nobody has to.
    this.opened.catch(() => undefined);
  }

  private async open(journal: Journal, limits: Limits): Promise<void> {
    const contents = await journal.open();
    if (this.isClosed) return;
    this.damage = recover(this.state, contents, limits, this.now());
    this.flusher.start();
    this.outbox.restore();
    this.isOpen = true;
    this.noteShown();
    this.outbox.follow(true);
    this.gaps.healAll();
    this.drainInput();
    this.afterInput();
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
  whenRoom(byteCount: number, body: () => void): void {
    if (this.input.length === 0 && this.isOpen && !isFull(this.state)) {
      body();
      return;
    }
    this.input.push({ byteCount, body });
    this.inputByteCount += byteCount;
    if (this.inputByteCount > this.state.limits.aheadByteCountMax && this.isOpen) {
      this.gaps.failAll(`${this.inputByteCount} bytes of other lines came while an answer was waited for`);
    }
    this.drainInput();
  }

  /** Whether input waits for a full library's upstream, or for the journal. */
  get isWaiting(): boolean { return this.input.length > 0 || !this.isOpen || isFull(this.state); }

  /** Takes what waited for room. */
  drainInput(): void {
    if (this.isDraining || !this.isOpen) return;
    this.isDraining = true;
    while (this.input.length > 0 && !isFull(this.state)) {
      const next = this.input.shift();
      if (next === undefined) break;
      this.inputByteCount -= next.byteCount;
      next.body();
    }
    this.isDraining = false;
  }

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

  private applyLine(line: Line): void {
    this.applyDecoded(line, this.decoder.decode(line));
  }

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

  /** Takes a line that was decoded. */
  applyDecoded(line: Line, decoded: DecodedLine): void {
    const { counts } = this.state;
    const now = this.pieceTime ?? this.now();
    counts.lines += 1;
    switch (decoded.is) {
      case "event":
        if (this.state.recency !== null && isCrowded(this.state)) evict(this.state, now);
        take(this.state, decoded.event, sourceOf(line), now);
        if (this.state.watched.length > 0 && this.state.watched.some((library) => library.gate.held.isOver)) this.gaps.follow("endless");
        break;
      case "unusable": setLineAside(this.state, line, decoded.line, now); break;
      case "blank": counts.blank += 1; break;
      case "control": counts.control += 1; break;
      case "message": counts.messages += 1; break;
    }
    if (this.state.log.length > 0 || this.state.tap !== null) this.distribute();
  }

  /** Follows up on input: gaps, notifications, and what has to be written. */
  afterInput(): void {
    if (!this.isOpen) return;
    // More input may wait unread: windows end when a timer fires, never between two lines.
    this.gaps.follow(this.gaps.isAtEnd ? "none" : "endless");
    this.distribute();
    this.noteChanged();
  }

  /** Decodes the events of an upstream's answer. */
  decodeAnswer(lines: readonly string[]): AnsweredLine[] {
    return lines.map((text, index) => {
      const line: Line = {
        text, bytes: new Uint8Array(0), byteCount: byteLength(text), number: index + 1, offset: 0, isTooLong: false, piece: null,
      };
      return { decoded: this.decoder.decode(line), source: { ...sourceOf(line), isUpstream: true } };
    });
  }

  // Output

  /** Tells observers everything that changed. */
  distribute(): void {
    this.observers.distribute(this.refreshes, this.sinks);
    this.state.tap?.tell();
    this.outbox.follow();
    if (this.positionWaiters.length > 0) this.wakePositionWaiters(false);
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

  /** Calls `done` when a library is where it should be, or when nothing can come any more. */
  waitFor(library: string, isReached: (status: LibraryStatus) => boolean, done: (status: LibraryStatus) => void): void {
    const status = this.status(library);
    if (isReached(status) || this.isClosed) done(status);
    else this.positionWaiters.push({ library, isReached, done });
  }

  /** Answers those who wait for a position; all of them at the end. */
  wakePositionWaiters(isAtEnd: boolean): void {
    const waiters = this.positionWaiters;
    this.positionWaiters = [];
    for (const waiter of waiters) {
      const status = this.status(waiter.library);
      if (isAtEnd || waiter.isReached(status)) waiter.done(status);
      else this.positionWaiters.push(waiter);
    }
  }

  /** Ends everything: nobody is asked any more, gaps are lost, what changed is written. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.opened;
    this.endOfBytes();
    this.outbox.stop();
    this.gaps.isAtEnd = true;
    this.fetches.failAll("the cache is closed");
    this.gaps.failAll("the cache is closed");
    await this.gaps.end();
    this.wakePositionWaiters(true);
    let failure: unknown = null;
    try {
      await this.flusher.flush();
    } catch (error) {
      failure = error;
    }
    this.isClosed = true;
    this.refreshes.close();
    this.gaps.close();
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

function sourceOf(line: Line): EventSource {
  return { isUpstream: false, line: line.number, offset: line.offset, byteCount: line.byteCount, text: line.text };
}
