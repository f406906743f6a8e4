// Stage 2 of 7: lines → events. Before: framer. After: State.take. Laws: L7.

import { Scanner } from "../json/scan.js";
import { compact, unescaped } from "../json/text.js";
import { byteLength, hasLoneSurrogate, isLonger } from "../json/utf8.js";
import type { Reason } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { parseSequence } from "../model/sequence.js";
import type { Sequence } from "../model/sequence.js";
import { bareEnvelope, noMembers, type Envelope } from "./envelope.js";
import type { ChangeEvent, DecodedLine, EventMember, Line } from "./events.js";
import { idOf, isIdTooLong, isType } from "./identity.js";
import { CONTROL_KEYS, CONTROL_WORDS, KINDS } from "./kinds.js";
import type { placeOf } from "./salvage.js";

/** Containers around the members of a batch's resource, in the deepest form of an envelope. */
const RECORD_DEPTH = 7;
const NONE = -1;

/** Thrown within the decoder for a line of valid JSON that is not a usable event. */
class Refusal {
  constructor(readonly reason: Reason) { }
}

/** Decodes lines to events. A decoder can be reused for any stream; it keeps nothing of a line. */
export class EventDecoder {
  private readonly scanner: Scanner;
  /** The entry of the object with the envelope's fields; `NONE` for the whole line, undefined for a bare kind. */
  private scope: number | undefined = undefined;
  private lastType: string | null = null;
  /** The type in the current line, once it was read. */
  private lineType: string | null = null;

  /** Creates a decoder. `salvage` returns the reader of lines that cannot be used; null while it is not loaded. */
  constructor(
    private readonly limits: Limits, private readonly aliases: ReadonlyMap<string, string>,
    private readonly salvage: () => typeof placeOf | null,
  ) {
    this.scanner = new Scanner(limits.nestingDepthMax, RECORD_DEPTH);
  }

  /** Decodes one line. */
  decode(line: Line): DecodedLine {
    const text = line.text;
    if (line.isTooLong) return this.broken("too_long", line.bytes);
    if (text === null) return this.broken("invalid_utf8", line.bytes);
    const scanner = this.scanner;
    const { piece } = line;
    const fault = piece === null
      ? scanner.scan(text) : scanner.scan(piece.text, piece.start, piece.start + text.length, piece.isPlain);
    if (fault !== null) {
      if (/^[ \t\r]*$/.test(text)) return { is: "blank" };
      return this.broken(hasLoneSurrogate(text) ? "invalid_utf8" : fault, new TextEncoder().encode(text));
    }
    if (scanner.hasSurrogates && hasLoneSurrogate(text)) return this.broken("invalid_utf8", new TextEncoder().encode(text));
    this.scope = undefined;
    this.lineType = null;
    try {
      return this.top();
    } catch (error) {
      if (error instanceof Refusal) return this.refused(error.reason, text);
      throw error;
    }
  }

  // Shapes

  private top(): DecodedLine {
    const scanner = this.scanner;
    const start = scanner.start;
    switch (scanner.text.charCodeAt(start)) {
      case 0x22: {
        const name = this.textFrom(start, scanner.end);
        return CONTROL_WORDS.has(name) ? { is: "control" } : this.kind(this.wellFormed(name), NONE, bareEnvelope);
      }
      case 0x7b: return this.topObject();
      case 0x5b: return this.topArray();
      default: throw new Refusal("bad_shape");
    }
  }

  private topArray(): DecodedLine {
    const scanner = this.scanner;
    if (scanner.count === 0) return { is: "message" };
    for (let entry = 0; entry < scanner.count; entry = scanner.next(entry)) {
      if (scanner.first(entry) === 0x7b && this.find(entry, "jsonrpc") !== NONE) return { is: "message" };
    }
    throw new Refusal("bad_shape");
  }

  private topObject(): DecodedLine {
    const scanner = this.scanner;
    if (this.find(NONE, "jsonrpc") !== NONE) return { is: "message" };
    if (this.isEnveloped(NONE)) return this.enveloped(NONE);
    this.scope = NONE;
    const only = this.onlyMember(NONE);
    if (only === NONE) throw new Refusal("bad_shape");
    const name = scanner.name(only);
    if (CONTROL_KEYS.has(name)) return { is: "control" };
    this.scope = undefined;
    return name === "Event" ? this.wrapped(only) : this.kind(this.wellFormed(name), only, bareEnvelope);
  }

  private wrapped(entry: number): DecodedLine {
    const scanner = this.scanner;
    if (scanner.first(entry) === 0x22) return this.kind(this.wellFormed(this.text(entry)), NONE, bareEnvelope);
    if (scanner.first(entry) !== 0x7b) throw new Refusal("bad_shape");
    if (this.isEnveloped(entry)) return this.enveloped(entry);
    this.scope = entry;
    const only = this.onlyMember(entry);
    if (only === NONE) throw new Refusal("bad_shape");
    this.scope = undefined;
    return this.kind(this.wellFormed(scanner.name(only)), only, bareEnvelope);
  }

  private isEnveloped(parent: number): boolean {
    const scanner = this.scanner;
    const end = parent === NONE ? scanner.count : scanner.next(parent);
    for (let entry = parent + 1; entry < end; entry = scanner.next(entry)) {
      if (scanner.isNamed(entry, "event") || scanner.isNamed(entry, "kind") || scanner.isNamed(entry, "envelope")) return true;
    }
    return false;
  }

  private enveloped(parent: number): DecodedLine {
    this.scope = parent;
    const scanner = this.scanner;
    const event = this.present(parent, "event");
    const kind = this.present(parent, "kind");
    if ((event === NONE) === (kind === NONE)) throw new Refusal("bad_shape");
    let name: string;
    let payload = NONE;
    if (event !== NONE) {
      if (scanner.first(event) === 0x22) {
        name = this.wellFormed(this.text(event));
      } else {
        if (scanner.first(event) !== 0x7b) throw new Refusal("bad_shape");
        payload = this.onlyMember(event);
        if (payload === NONE) throw new Refusal("bad_shape");
        name = this.wellFormed(scanner.name(payload));
      }
    } else if (scanner.first(kind) === 0x22) {
      name = this.wellFormed(this.text(kind));
    } else {
      const type = scanner.first(kind) === 0x7b ? this.find(kind, "type") : NONE;
      if (type === NONE || scanner.first(type) !== 0x22) throw new Refusal("bad_shape");
      name = this.wellFormed(this.text(type));
      payload = this.find(kind, "data");
    }
    return this.kind(name, payload, this.envelope(parent));
  }

  // The envelope

  private envelope(parent: number): Envelope {
    const inner = this.present(parent, "envelope");
    if (inner !== NONE && this.scanner.first(inner) !== 0x7b) throw new Refusal("bad_shape");
    const field = (name: string): number => {
      const own = inner === NONE ? NONE : this.present(inner, name);
      return own === NONE ? this.present(parent, name) : own;
    };
    const library = this.nameAt(field("library_id"));
    const epoch = this.nameAt(field("epoch"));
    const mutationId = this.nameAt(field("mutation_id"));
    for (const name of [epoch, mutationId]) {
      if (name !== null && isLonger(name, this.limits.idByteCountMax)) throw new Refusal("bad_shape");
    }
    const more = field("more");
    const hasMore = this.isTrue(more);
    if (more !== NONE && !hasMore && this.scanner.first(more) !== 0x66) throw new Refusal("bad_shape");
    const sequence = this.sequenceAt(field("sequence"));
    const previous = this.sequenceAt(field("prev"));
    this.sequenceAt(field("as_of"));
    if (hasMore && sequence === null || previous !== null && (sequence === null || previous >= sequence)) throw new Refusal("bad_sequence");
    return { library, sequence, previous, epoch: epoch === "" ? null : epoch, mutationId, hasMore };
  }

  private nameAt(entry: number): string | null {
    if (entry === NONE) return null;
    if (this.scanner.first(entry) !== 0x22) throw new Refusal("bad_shape");
    return this.wellFormed(this.text(entry));
  }

  private sequenceAt(entry: number): Sequence | null {
    if (entry === NONE) return null;
    const sequence = parseSequence(this.json(entry));
    if (sequence === null) throw new Refusal("bad_sequence");
    return sequence;
  }

  // Kinds

  private kind(name: string, payload: number, envelope: Envelope): DecodedLine {
    const kind = KINDS.get(name) ?? "unknown";
    const event: ChangeEvent = {
      kind, library: envelope.library, sequence: envelope.sequence, previous: envelope.previous, epoch: envelope.epoch,
      mutationId: envelope.mutationId, type: "", members: noMembers, detail: null, name, last: 0, isIndex: false,
      hasMore: envelope.hasMore, isMarked: false,
    };
    switch (kind) {
      case "changed": case "batch": case "deleted": case "bulk": case "heartbeat":
        if (payload === NONE || this.scanner.first(payload) !== 0x7b) throw new Refusal("bad_shape");
        this.payload(event, payload);
        break;
      case "reset":
        event.name = this.resetEpoch(payload, envelope.epoch);
        event.isMarked = payload !== NONE && this.isTrue(this.find(payload, "state"));
        break;
      case "refresh": case "unknown": break;
    }
    if (event.library !== null && isLonger(event.library, this.limits.idByteCountMax)) throw new Refusal("id_too_long");
    return { is: "event", event };
  }

  private payload(event: ChangeEvent, payload: number): void {
    if (event.kind === "heartbeat") {
      const last = this.present(payload, "last_sequence");
      if (last === NONE) throw new Refusal("bad_shape");
      event.last = this.sequenceAt(last) ?? 0;
      event.isMarked = this.isTrue(this.find(payload, "stale"));
      return;
    }
    event.type = this.type(payload);
    switch (event.kind) {
      case "changed": {
        const resource = this.find(payload, "resource");
        if (resource === NONE || this.scanner.first(resource) !== 0x7b) throw new Refusal("bad_shape");
        event.detail = this.metadata(payload);
        const member = this.member(resource);
        if (member.reason !== null) throw new Refusal(member.reason);
        event.members = [member];
        break;
      }
      case "batch": this.batch(event, payload); break;
      case "deleted": this.deleted(event, payload); break;
      default: {
        const hints = this.present(payload, "hints");
        if (hints !== NONE && this.scanner.first(hints) !== 0x7b) throw new Refusal("bad_shape");
        event.detail = hints === NONE ? null : this.json(hints);
      }
    }
  }

  private batch(event: ChangeEvent, payload: number): void {
    const scanner = this.scanner;
    const resources = this.find(payload, "resources");
    if (resources === NONE || scanner.first(resources) !== 0x5b) throw new Refusal("bad_shape");
    event.detail = this.metadata(payload);
    const members: EventMember[] = [];
    const end = scanner.next(resources);
    for (let entry = resources + 1; entry < end; entry = scanner.next(entry)) {
      if (members.length === this.limits.batchMemberCountMax) throw new Refusal("batch_too_large");
      members.push(scanner.first(entry) === 0x7b
        ? this.member(entry) : { id: "", resource: this.json(entry), reason: "bad_shape" });
    }
    event.members = members;
    const operation = this.find(payload, "operation");
    event.isIndex = operation !== NONE && scanner.first(operation) === 0x22 && this.text(operation) === "Index";
  }

  private deleted(event: ChangeEvent, payload: number): void {
    const entry = this.present(payload, "resource_id");
    const id = entry === NONE ? null : idOf(this.json(entry));
    if (id === null) throw new Refusal("missing_id");
    if (isIdTooLong(id, this.limits.idByteCountMax)) throw new Refusal("id_too_long");
    event.members = [{ id, resource: "", reason: null }];
    const reason = this.find(payload, "reason");
    event.isMarked = reason !== NONE && unescaped(this.json(reason)) === "\"scope\"";
  }

  private isTrue(entry: number): boolean { return entry !== NONE && this.scanner.first(entry) === 0x74; }

  private member(entry: number): EventMember {
    let place = this.present(entry, "id");
    if (place === NONE) place = this.present(entry, "uuid");
    const id = place === NONE ? null : idOf(this.json(place));
    const resource = this.json(entry);
    if (id === null) return { id: "", resource, reason: "missing_id" };
    return { id, resource, reason: isIdTooLong(id, this.limits.idByteCountMax) ? "id_too_long" : null };
  }

  private type(payload: number): string {
    const entry = this.find(payload, "resource_type");
    if (entry === NONE || this.scanner.first(entry) !== 0x22) throw new Refusal("bad_type");
    const type = this.text(entry);
    if (type !== this.lastType) {
      if (!isType(type, this.limits.typeByteCountMax)) throw new Refusal("bad_type");
      this.lastType = type;
    }
    return this.lineType = this.aliases.size === 0 ? type : this.aliases.get(type) ?? type;
  }

  private metadata(payload: number): string | null {
    const entry = this.present(payload, "metadata");
    if (entry === NONE) return null;
    if (this.scanner.first(entry) !== 0x7b) throw new Refusal("bad_shape");
    this.checkList(entry, "no_merge_fields", false);
    this.checkList(entry, "alternate_ids", true);
    return this.json(entry);
  }

  private checkList(metadata: number, name: string, mayBeIntegers: boolean): void {
    const scanner = this.scanner;
    const list = this.present(metadata, name);
    if (list === NONE) return;
    if (scanner.first(list) !== 0x5b) throw new Refusal("bad_shape");
    const end = scanner.next(list);
    for (let entry = list + 1; entry < end; entry = scanner.next(entry)) {
      if (scanner.first(entry) === 0x22) this.wellFormed(this.text(entry));
      else if (!mayBeIntegers || idOf(this.json(entry)) === null) throw new Refusal("bad_shape");
    }
  }

  private resetEpoch(payload: number, envelopeEpoch: string | null): string {
    if (payload !== NONE && this.scanner.first(payload) !== 0x6e) {
      if (this.scanner.first(payload) !== 0x7b) throw new Refusal("bad_shape");
      const epoch = this.nameAt(this.present(payload, "epoch"));
      if (epoch !== null && isLonger(epoch, this.limits.idByteCountMax)) throw new Refusal("bad_shape");
      if (epoch !== null && epoch !== "") return epoch;
    }
    if (envelopeEpoch === null) throw new Refusal("bad_shape");
    return envelopeEpoch;
  }

  // The tape

  /** Returns the last member with a name; `NONE` if there is none. */
  private find(parent: number, name: string): number {
    const scanner = this.scanner;
    const end = parent === NONE ? scanner.count : scanner.next(parent);
    let found = NONE;
    for (let entry = parent + 1; entry < end; entry = scanner.next(entry)) {
      if (scanner.isNamed(entry, name)) found = entry;
    }
    return found;
  }

  private present(parent: number, name: string): number {
    const entry = this.find(parent, name);
    return entry === NONE || this.scanner.first(entry) === 0x6e ? NONE : entry;
  }

  /** Returns the member of an object with a single key, repeated or not; `NONE` for several keys or none. */
  private onlyMember(parent: number): number {
    const scanner = this.scanner;
    const end = parent === NONE ? scanner.count : scanner.next(parent);
    if (parent + 1 === end) return NONE;
    let last = parent + 1;
    const name = scanner.name(last);
    for (let entry = scanner.next(last); entry < end; entry = scanner.next(entry)) {
      if (!scanner.isNamed(entry, name)) return NONE;
      last = entry;
    }
    return last;
  }

  private json(entry: number): string {
    const json = this.scanner.text.slice(this.scanner.valueStart(entry), this.scanner.valueEnd(entry));
    return this.scanner.isSpaced ? compact(json) : json;
  }

  private text(entry: number): string {
    return this.textFrom(this.scanner.valueStart(entry), this.scanner.valueEnd(entry));
  }

  private textFrom(start: number, end: number): string { return unescaped(this.scanner.text.slice(start + 1, end - 1)); }

  private wellFormed(text: string): string {
    if (hasLoneSurrogate(text)) throw new Refusal("bad_shape");
    return text;
  }

  // Lines that cannot be used

  private broken(reason: Reason, bytes: Uint8Array): DecodedLine {
    const salvage = this.salvage();
    if (salvage === null) return later;
    const { limits } = this;
    const place = salvage(bytes, limits.nestingDepthMax, limits.quarantineByteCountMax, limits.idByteCountMax, false);
    return { is: "unusable", line: { reason, ...place, type: null } };
  }

  private refused(reason: Reason, text: string): DecodedLine {
    const type = this.lineType;
    if (this.scope === undefined) {
      return { is: "unusable", line: { reason, library: undefined, sequence: null, epoch: null, type } };
    }
    const salvage = this.salvage();
    if (salvage === null) return later;
    const scanner = this.scanner;
    const object = this.scope === NONE
      ? text : scanner.text.slice(scanner.valueStart(this.scope), scanner.valueEnd(this.scope));
    const { limits } = this;
    const place = salvage(new TextEncoder().encode(object), limits.nestingDepthMax + 1, byteLength(object), limits.idByteCountMax, true);
    return { is: "unusable", line: { reason, ...place, type } };
  }
}

const later: DecodedLine = { is: "later" };
