// The observers of the log. Protocol/sessions.md, log.observe and log.list.

import type { Engine } from "../cache/engine.js";
import type { Sink } from "../engine/notifications.js";
import { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";
import type { Params } from "../params/params.js";
import { namedLibrary } from "../params/requests.js";
import type { RequestContext } from "../params/requests.js";
import type { Bin, CountedEvent, EventTap } from "../state/records.js";

/** Maximum number of observers. The constants below bound events in a notification, keys, filters and pages. */
const FOLLOWER_COUNT_MAX = 100;
const EVENT_COUNT_MAX = 500;
const KEY_COUNT_MAX = 10;
const FILTER_COUNT_MAX = 1_000;
const PAGE_COUNT_MAX = 1_000;
const bins: readonly Bin[] = ["applied", "duplicate", "ignored", "quarantined", "held", "reconciled"];

interface Follower {
  readonly subscription: number;
  readonly sink: Sink;
  /** The types to report; empty for all. */
  readonly types: ReadonlySet<string>;
  readonly bins: ReadonlySet<string>;
  readonly library: string | null;
  /** A part of a key, in lower case; null for every event. */
  readonly part: string | null;
  events: Out[];
  missed: number;
}

/** Adds `log.observe` and `log.list`. */
export function addLog(engine: Engine, context: RequestContext): void {
  const log = new EventLog(engine);
  engine.methods.add("log.observe", (params, sink) => log.follow(params, sink, context));
  engine.methods.add("log.list", (params) => listNothing(params, context));
}

/** Returns the result of `log.list`, which is empty, since a page keeps no events. */
function listNothing(params: Params, context: RequestContext): Out {
  namedLibrary(params, context);
  params.sequence("sequence");
  params.texts("types", FILTER_COUNT_MAX);
  binsOf(params);
  partOf(params, context);
  params.text("key", context.limits.typeByteCountMax + 1 + context.limits.idByteCountMax);
  params.sequence("before");
  params.integer("limit", 1, PAGE_COUNT_MAX);
  return { events: [], next: null, kept: { events: 0, bytes: 0, bytes_max: 0 } };
}

function partOf(params: Params, context: RequestContext): string | null {
  const part = params.text("matching", context.limits.typeByteCountMax + 1 + context.limits.idByteCountMax);
  return part === null ? null : lowered(part);
}

/** Returns a text with ASCII letters in lower case, so that they match in either case. */
function lowered(text: string): string { return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()); }

function names({ event, type }: CountedEvent, part: string): boolean {
  return event !== null && event.members.some(({ id, reason }) => reason === null && lowered(`${type ?? ""}:${id}`).includes(part));
}

function binsOf(params: Params): string[] {
  const wanted = params.texts("bins", FILTER_COUNT_MAX) ?? [];
  wanted.forEach((name, index) => {
    if (bins.every((bin) => bin !== name)) {
      throw new CacheError("invalid_params", `bins[${index}] is '${name}': pass some of ${bins.join(", ")}`);
    }
  });
  return wanted;
}

/**
 * The observers of the log, and the events not yet reported to each. Attached to the cache only while there are
 * observers.
 */
class EventLog implements EventTap {
  private readonly followers: Follower[] = [];

  constructor(private readonly engine: Engine) { }

  follow(params: Params, sink: Sink, context: RequestContext): Out {
    const library = namedLibrary(params, context);
    const types = params.texts("types", FILTER_COUNT_MAX) ?? [];
    const wanted = binsOf(params);
    const part = partOf(params, context);
    const { observers, state } = this.engine;
    observers.checkRoom();
    const subscription = observers.takeSubscription();
    if (this.followers.length === FOLLOWER_COUNT_MAX) {
      throw new CacheError("limit_exceeded", `${FOLLOWER_COUNT_MAX} observers follow the log already: cancel one first`);
    }
    const follower: Follower = {
      subscription, sink, library, part, types: new Set(types.map((type) => context.ownType(type))), bins: new Set(wanted), events: [], missed: 0,
    };
    this.followers.push(follower);
    state.tap = this;
    observers.addOther(subscription, () => {
      this.followers.splice(this.followers.indexOf(follower), 1);
      if (this.followers.length === 0) state.tap = null;
    });
    return { subscription };
  }

  hear(counted: CountedEvent): void {
    let made: Out | null = null;
    for (const follower of this.followers) {
      if (follower.bins.size > 0 && !follower.bins.has(counted.bin)
        || follower.types.size > 0 && (counted.type === null || !follower.types.has(counted.type))
        || follower.library !== null && follower.library !== counted.library
        || follower.part !== null && !names(counted, follower.part)) continue;
      if (follower.events.length === EVENT_COUNT_MAX) follower.missed += 1;
      else follower.events.push(made ??= eventOut(counted, this.engine.now()));
    }
  }

  tell(): void {
    for (const follower of [...this.followers]) {
      const { subscription, events, missed } = follower;
      if (events.length === 0 && missed === 0) continue;
      follower.events = [];
      follower.missed = 0;
      this.engine.observers.tell(follower.sink, { method: "log.event", params: { subscription, events, missed } });
    }
  }
}

function eventOut({ event, library, sequence, type, bin, line, reason, isLate }: CountedEvent, at: number): Out {
  const members = event === null ? [] : event.members;
  return {
    library_id: library, sequence, kind: event === null ? "unusable" : event.kind, bin, resource_type: type,
    keys: members.filter((member) => member.reason === null).slice(0, KEY_COUNT_MAX).map((member) => `${type ?? ""}:${member.id}`),
    resources: members.length, at, line, reason, mutation_id: event === null ? null : event.mutationId, late: isLate,
  };
}
