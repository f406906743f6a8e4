// The engine: the one owner of a state, with its clock, upstream and journal. Everything runs in one thread, and each
// step runs to its end: nothing happens between a change and its notifications.

import type { CacheClock } from "../engine/clock.js";
import type { Refuse, Step } from "../engine/context.js";
import type { Gaps } from "../engine/gaps.js";
import { InputQueue } from "../engine/input.js";
import { NoFlusher } from "../engine/no-flusher.js";
import type { Sink } from "../engine/notifications.js";
import { Observers } from "../engine/observers.js";
import type { Outbox } from "../engine/outbox.js";
import type { TextUpstream } from "../engine/ports.js";
import { PositionWaiters } from "../engine/positions.js";
import type { Queries } from "../engine/queries.js";
import type { Refreshes } from "../engine/refreshes.js";
import type { Storage } from "../engine/storage.js";
import type { DamagedRecord } from "../journal/damage.js";
import type { Journal } from "../journal/journal.js";
import type { MethodHost } from "../methods/host.js";
import { Methods } from "../methods/methods.js";
import { CacheError } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import type { Part } from "../model/part.js";
import { families } from "../parts/families.js";
import { edits, gaps, journal, lists, upkeep, views } from "../parts/loaders.js";
import type { QueryKey } from "../queries/query.js";
import { sourceOf } from "../sequencing/held.js";
import type { Miss } from "../state/reads.js";
import type { GapPatience } from "../state/reconcile.js";
import type { LibraryStatus } from "../state/records.js";
import { State } from "../state/state.js";
import { take } from "../state/take.js";
import { isCrowded, statusOf } from "../state/watch.js";
import { EventDecoder } from "../wire/decoder.js";
import type { ChangeEvent, DecodedLine, Line } from "../wire/events.js";
import { LineFramer } from "../wire/framer.js";
import type { EngineOptions } from "./engine-options.js";

/**
 * Runs a cache: applies input in order, performs methods, notifies observers, and follows gaps, ages and the outbox.
 */
export class Engine implements MethodHost {
  /** The state of the cache. */
  readonly state: State;
  readonly clock: CacheClock;
  readonly upstream: TextUpstream | null;
  readonly journal: Journal | null;
  readonly fetchTimeout: number;
  readonly random: () => number;
  /** The observers of entities and queries. */
  readonly observers: Observers;
  /** The readers of queries; null before the first one. */
  queries: Queries | null = null;
  /** Recovers missing events; null until something is missing. */
  gaps: Gaps | null = null;
  /** Refreshes observers and expires lists; null until something observed can become too old. */
  refreshes: Refreshes | null = null;
  /** Sends the requests of edits; null before the first edit. */
  outbox: Outbox | null = null;
  /** Writes changes to the journal. */
  flusher: Storage;
  /** The methods of Protocol/sessions.md. */
  readonly methods: Methods;
  /** Receivers of notifications about libraries, commits and the outbox. */
  readonly sinks = new Set<Sink>();
  /** Callbacks for changes of pending edits. */
  readonly layerListeners = new Set<() => void>();
  private shownLayers = 0;
  /** Reads that missed, by reason. */
  readonly misses: Record<Miss, number> = { absent: 0, expired: 0, evicted: 0, deleted: 0 };
  hitCount = 0;
  /** The journal records that could not be used and were left out. */
  damage: readonly DamagedRecord[] = [];
  /** True once the journal, if any, has been read. */
  isOpen = false;
  /** The error with which every request is refused because the journal cannot be used; null when it can. */
  failure: CacheError | null = null;
  isClosed = false;
  /** True while the cache is closing: no further edit is sent. */
  private isEnding = false;
  /** Resolves once the journal has been read; rejects if it cannot be used. */
  readonly opened: Promise<void>;
  private readonly decoder: EventDecoder;
  private readonly framer: LineFramer;
  private readonly input = new InputQueue(this);
  /** True once the input has ended: no event can arrive out of order any more. */
  isAtEnd = false;
  private pieceTime: number | null = null;
  /** Requests that wait for a library to reach a sequence. */
  readonly positions = new PositionWaiters(this);

  /** Creates an engine and begins to read its journal, if it has one. */
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
    this.methods = new Methods(this, families);
    this.decoder = new EventDecoder(options.limits, options.aliases, () => gaps.isLoaded ? gaps.code.placeOf : null);
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

  /** Loads the journal's contents into the state, with the parts of the client that they need. */
  private async recover(kept: Journal, limits: Limits): Promise<void> {
    const [code, contents] = await Promise.all([journal.load(), kept.open()]);
    if (contents.layers.size > 0) await edits.load();
    if (contents.queries.size > 0) await lists.load();
    if (contents.views?.size > 0) await views.load();
    if (this.isClosed) return;
    this.damage = code.recover(this.state, contents, limits, this.now());
    this.flusher = new code.Flusher(this, kept);
    if (!this.state.layers.isEmpty) this.takeOutbox().restore();
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number { return this.clock.now(); }

  /** True if the upstream answers queries. */
  get canFetch(): boolean { return this.upstream?.fetch != null; }

  /** Counts a read as a hit (null) or under the reason of its miss. */
  countRead(miss: Miss | null): void {
    if (miss === null) this.hitCount += 1;
    else this.misses[miss] += 1;
  }

  /** Returns the position, phase and lost ranges of a library. */
  status(library: string): LibraryStatus { return statusOf(this.state, library); }

  // Input

  /**
   * Runs a step now, or after earlier input once a full library's upstream has answered. `refuse` receives the error of
   * a step that cannot run.
   */
  whenRoom(byteCount: number, body: Step, refuse: Refuse | null = null): void { this.input.run(byteCount, body, refuse); }

  /** True while input waits for a full library's upstream, for the journal, or for a part of the client. */
  get isWaiting(): boolean { return this.input.isWaiting; }

  /** Resolves when no input waits for a part of the client any more, or when a part cannot be loaded. */
  partsCame(): Promise<void> { return this.input.partsCame(); }

  /** Applies the input that was waiting, as far as there is room. */
  drainInput(): void { this.input.drain(); }

  /** Applies bytes of the line stream; they may be cut anywhere. */
  ingestBytes(bytes: Uint8Array): void {
    this.frame(bytes, (line) => this.ingestLine(line));
    this.afterInput();
  }

  /** Applies one or several lines of text; the last one needs no LF. */
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

  /** Applies one line. The caller calls `afterInput` after the last line of a chunk. */
  ingestLine(line: Line): void {
    this.whenRoom(line.byteCount, () => this.applyLine(line));
  }

  /** Ends the byte stream, and applies an unterminated last line. */
  endOfBytes(): void { this.framer.end((line) => this.ingestLine(line)); }

  private applyLine(line: Line): Part<unknown> | null { return this.applyDecoded(line, this.decoder.decode(line)); }

  /** Decodes a line without applying it. */
  decode(line: Line): DecodedLine { return this.decoder.decode(line); }

  /** Splits bytes into the lines of this engine's stream, and passes each to `body` without applying it. */
  frame(bytes: Uint8Array, body: (line: Line) => void): void {
    // The lines of one chunk share one timestamp, because they arrived together.
    this.pieceTime = this.now();
    this.framer.append(bytes, body);
    this.pieceTime = null;
  }

  /** Passes an unterminated last line to `body`. */
  frameEnd(body: (line: Line) => void): void { this.framer.end(body); }

  /**
   * Applies a decoded line. Returns null, or the part of the client that must be loaded first; then nothing has
   * changed.
   */
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
    if (this.state.log.length > 0 || this.state.tap !== null || this.state.layers.hasChangedRequests || this.state.views?.isDirty === true) this.distribute();
    return null;
  }

  /** True if the event may be late, has to be held, or belongs to a unit or state of several lines. */
  private isBehindGap({ library, sequence, previous, epoch, hasMore, isMarked }: ChangeEvent): boolean {
    const { libraries, defaultLibrary } = this.state;
    const known = libraries.get(library ?? defaultLibrary);
    return hasMore || isMarked || known !== undefined
      && (known.scope !== null || !known.gate.lost.isEmpty || sequence !== null && known.gate.verdict(sequence, previous, epoch) === "hold");
  }

  /** Finishes a chunk of input: checks gaps, notifies observers, and schedules a flush. */
  afterInput(): void {
    if (!this.isOpen) return;
    // More input may be unread: reorder windows end when a timer fires, never between two lines.
    this.followGaps(this.isAtEnd ? "none" : "endless");
    this.distribute();
    this.noteChanged();
  }

  // Parts that are created on first use

  /** Checks what is missing after input or a response, and acts on it. */
  private followGaps(patience: GapPatience): void {
    if (this.gaps !== null) return this.gaps.follow(patience);
    if (this.state.watched.length === 0 && this.state.lossCount === 0) return;
    if (gaps.isLoaded) return this.takeGaps().follow(patience);
    gaps.load().then(() => { if (!this.isClosed) this.followGaps(patience); }, () => undefined);
  }

  private takeGaps(): Gaps { return this.gaps ??= new gaps.code.Gaps(this); }

  /** Ends the input: requests missing events at once, and resolves when each has arrived or is lost. */
  async endGaps(): Promise<void> {
    this.isAtEnd = true;
    if (this.gaps === null && this.state.watched.length === 0 && this.state.lossCount === 0) return this.drainInput();
    await gaps.load();
    await this.takeGaps().end();
  }

  /** Requests all lost events at once, as a cache does after opening. */
  private healAll(): void {
    if (this.upstream?.eventsSince == null || ![...this.state.libraries.values()].some(({ gate }) => !gate.lost.isEmpty)) return;
    if (gaps.isLoaded) return this.takeGaps().healAll();
    gaps.load().then(() => { if (!this.isClosed) this.takeGaps().healAll(); }, () => undefined);
  }

  /** Stops sending edits for good. */
  stopSending(): void {
    this.isEnding = true;
    this.outbox?.stop();
  }

  /** Returns the outbox, which is created for the first edit. */
  takeOutbox(): Outbox {
    if (this.outbox !== null) return this.outbox;
    this.outbox = new edits.code.Outbox(this);
    if (this.isEnding) this.outbox.stop();
    return this.outbox;
  }

  /** Returns the query reader, which is created for the first query. */
  takeQueries(): Queries { return this.queries ??= new lists.code.Queries(this); }

  /** Returns the scheduler of refreshes, which is created on first use. */
  takeRefreshes(): Refreshes { return this.refreshes ??= new upkeep.code.Refreshes(this); }

  /** Fetches a query again for an observer whose data became too old; `done` receives null or the error. */
  refetch(key: QueryKey, done: (error: Error | null) => void): void { this.takeQueries().fetches.refresh(key, done); }

  /** Schedules notifications for observed lists that will expire. */
  followExpiry(): void {
    if (this.refreshes !== null) return this.refreshes.schedule();
    if (![...this.observers.queries].some((query) => query.expiry !== null)) return;
    if (upkeep.isLoaded) return this.takeRefreshes().schedule();
    upkeep.load().then(() => { if (!this.isClosed) this.followExpiry(); }, () => undefined);
  }

  // Output

  /** Notifies observers of all logged changes. */
  distribute(): void {
    this.observers.distribute(this.refreshes, this.sinks);
    this.state.tap?.tell();
    this.outbox?.follow();
    this.positions.wake(false);
    if (this.shownLayers === this.state.layers.version) return;
    this.shownLayers = this.state.layers.version;
    for (const listener of [...this.layerListeners]) listener();
  }

  /** Schedules a flush of what changed, and eviction if a limit is exceeded. */
  noteChanged(): void { this.flusher.schedule(); }

  /** Adds a receiver of notifications about libraries, commits and the outbox. */
  addSink(sink: Sink): void {
    if (!this.state.hasLibraryObservers) this.noteShown();
    this.state.hasLibraryObservers = true;
    this.sinks.add(sink);
  }

  /** Records the current phase and lost ranges of each library as already reported. */
  private noteShown(): void {
    for (const library of this.state.libraries.values()) {
      library.shownPhase = library.phase;
      library.shownLost = library.gate.lost.ranges;
    }
  }

  /** Closes the engine: stops all requests, gives up on gaps, and writes what changed. Rejects if that write fails. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    if (await this.opened.then(() => false, () => true)) {
      this.isClosed = true;
      return this.journal?.close();
    }
    this.endOfBytes();
    // Input that waits for a part of the client is applied first, if that part can be loaded.
    await this.input.partsCame();
    this.stopSending();
    this.isAtEnd = true;
    this.queries?.fetches.failAll("the cache is closed");
    this.gaps?.failAll("the cache is closed");
    // If the part cannot be loaded, what is missing stays missing.
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

  /** Throws `storage_failed` if the cache is closed. */
  checkOpen(): void {
    if (this.isClosed) throw new CacheError("storage_failed", "the cache is closed: open another one");
  }
}
