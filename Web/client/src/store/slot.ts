import { namesOf } from "../json/text.js";
import type { Sequence } from "../model/sequence.js";
import type { KeyNode } from "../queries/node.js";
import { own } from "./own.js";
import { completenessAfter } from "./stamp.js";
import type { Completeness, FieldStamps, Stamp } from "./stamp.js";
import type { TypeTable } from "./library.js";
import type { Written } from "./written.js";

/** A stamp without its sequence. Consecutive writes share one, which saves 40 bytes for each entity. */
type Mark = Omit<Stamp, "sequence">;

let lastMark: Mark = { generation: 0, writtenAt: 0, writer: "event", isPartial: false };

/** Returns the mark of a stamp; the previous one if they are equal. */
function markOf({ generation, writtenAt, writer, isPartial }: Stamp): Mark {
  const isSame = lastMark.generation === generation && lastMark.writtenAt === writtenAt && lastMark.writer === writer
    && lastMark.isPartial === isPartial;
  return isSame ? lastMark : lastMark = { generation, writtenAt, writer, isPartial };
}

/** One key of a library: its stored entity, and what names it. A slot without either is removed. */
export class Slot {
  /** The stored resource as compact JSON, without layers; null when nothing is stored. */
  text: string | null = null;
  private sequence: Sequence | null = null;
  private mark = lastMark;
  /** The stamps of single fields; null if all were written at once. */
  fields: FieldStamps | null = null;
  /** The lists, observers and layers that name the key; null if nothing does. */
  node: KeyNode | null = null;

  /** Creates an empty slot. */
  constructor(readonly table: TypeTable, readonly id: string) { }

  /** The stamp of the last write; meaningless while nothing is stored. */
  get stamp(): Stamp {
    const { generation, writtenAt, writer, isPartial } = this.mark;
    return { sequence: this.sequence, generation, writtenAt, writer, isPartial };
  }

  set stamp(stamp: Stamp) {
    this.sequence = stamp.sequence;
    this.mark = markOf(stamp);
  }

  /** The key within its library, `type:id`. */
  get key(): string { return `${this.table.name}:${this.id}`; }

  /** How much of the entity is known. */
  get completeness(): Completeness { return this.fields === null ? "whole" : this.fields.completeness; }

  /** Returns the stamp of a field. */
  stampOf(field: string): Stamp {
    return this.fields === null ? this.stamp : this.fields.named.get(field) ?? this.fields.rest;
  }

  /** Stores a value. `written` are the fields that were written, null for all. True if the bytes changed. */
  write(text: string, given: Stamp, written: Written | null): boolean {
    const isPartial = written !== null;
    const stamp = given.isPartial === isPartial ? given : { ...given, isPartial };
    this.dateFields(written, text, stamp);
    const isChanged = text !== this.text;
    if (isChanged) this.text = own(text);
    this.stamp = stamp;
    return isChanged;
  }

  private dateFields(written: Written | null, text: string, stamp: Stamp): void {
    if (written === null) {
      this.fields = null;
      return;
    }
    const stamps = this.fields ?? { rest: this.stamp, named: new Map<string, Stamp>(), completeness: "whole" };
    written.date(stamps.named, stamp, stamps.rest);
    stamps.completeness = completenessAfter(stamps.completeness, stamp.writer);
    const present = namesOf(text);
    if (stamps.named.size > present.length) {
      const kept = new Set(present);
      for (const name of stamps.named.keys()) if (!kept.has(topLevel(name))) stamps.named.delete(name);
    }
    const isOneDate = stamps.completeness === "whole" && present.every((name) => stamps.named.get(name) === stamp)
      && [...stamps.named.values()].every((own) => own === stamp);
    this.fields = isOneDate ? null : stamps;
  }
}

/** Returns the first name of a path. Names are joined by a zero character. */
export function topLevel(path: string): string { return path.split("\0", 1)[0]; }
