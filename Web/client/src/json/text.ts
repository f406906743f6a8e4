// Valid JSON as text, without white space between tokens: the form in which resources are stored and compared.

/** Returns the offset after the string that begins at `at`. */
export function skipString(text: string, at: number): number {
  let end = at;
  for (; ;) {
    end = text.indexOf("\"", end + 1);
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}

/** Returns the offset after the value that begins at `at`. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 0x22) return skipString(text, at);
  let place = at;
  if (first === 0x7b || first === 0x5b) {
    let depth = 0;
    for (; ;) {
      const unit = text.charCodeAt(place);
      if (unit === 0x22) {
        place = skipString(text, place);
        continue;
      }
      place += 1;
      if (unit === 0x7b || unit === 0x5b) depth += 1;
      else if (unit === 0x7d || unit === 0x5d) {
        depth -= 1;
        if (depth === 0) return place;
      }
    }
  }
  while (place < text.length) {
    const unit = text.charCodeAt(place);
    if (unit === 0x2c || unit === 0x7d || unit === 0x5d) break;
    place += 1;
  }
  return place;
}

/** Returns the text of a string given without its quotes, unescaped. */
export function unescaped(raw: string): string {
  return raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** Returns the text of a JSON string. */
export function stringValue(json: string): string { return unescaped(json.slice(1, -1)); }

/**
 * Returns a JSON string as the protocol writes it: `"`, `\`, control characters and lone surrogates escaped, nothing
 * else.
 */
export function quoted(text: string): string { return JSON.stringify(text); }

/** The kind of a JSON value. */
export type JsonKind = "object" | "array" | "string" | "number" | "bool" | "null";

/** Returns the kind of a value by its first character. */
export function kindOf(json: string): JsonKind {
  switch (json.charCodeAt(0)) {
    case 0x7b: return "object";
    case 0x5b: return "array";
    case 0x22: return "string";
    case 0x74: case 0x66: return "bool";
    case 0x6e: return "null";
    default: return "number";
  }
}

/** Returns the kind of a value in words, for messages. */
export function kindName(json: string): string {
  const kind = kindOf(json);
  switch (kind) {
    case "null": return kind;
    case "bool": return "a boolean";
    case "object": case "array": return `an ${kind}`;
    default: return `a ${kind}`;
  }
}

/** One member of an object. */
export interface Member {
  /** The name without escapes. */
  name: string;
  /** The name as it is spelled, with its quotes. */
  spelled: string;
  /** The value, as JSON. */
  value: string;
}

/** Returns the members of an object. A repeated member appears once, at its first place with its last value. */
export function membersOf(object: string): Member[] {
  const members: Member[] = [];
  let at = 1;
  while (object.charCodeAt(at) !== 0x7d) {
    const nameEnd = skipString(object, at);
    const spelled = object.slice(at, nameEnd);
    const valueEnd = skipValue(object, nameEnd + 1);
    addMember(members, { name: stringValue(spelled), spelled, value: object.slice(nameEnd + 1, valueEnd) });
    at = object.charCodeAt(valueEnd) === 0x2c ? valueEnd + 1 : valueEnd;
  }
  return members;
}

const TABLE_COUNT_MIN = 32;
let table = new Map<string, Member>();
let tableOwner: Member[] | null = null;

function addMember(members: Member[], member: Member): void {
  let other: Member | undefined;
  if (members.length < TABLE_COUNT_MIN) {
    other = members.find((known) => known.name === member.name);
  } else {
    if (tableOwner !== members) {
      table = new Map(members.map((known) => [known.name, known]));
      tableOwner = members;
    }
    other = table.get(member.name);
    if (other === undefined) table.set(member.name, member);
  }
  if (other === undefined) members.push(member);
  else other.value = member.value;
}

/** Returns the value of a member, as JSON; null when there is none. */
export function memberOf(object: string, name: string): string | null {
  let found: string | null = null;
  let at = 1;
  while (object.charCodeAt(at) !== 0x7d) {
    const nameEnd = skipString(object, at);
    const valueEnd = skipValue(object, nameEnd + 1);
    if (isSpelling(object, at + 1, nameEnd - 1, name)) found = object.slice(nameEnd + 1, valueEnd);
    at = object.charCodeAt(valueEnd) === 0x2c ? valueEnd + 1 : valueEnd;
  }
  return found;
}

/** True if the text between two offsets spells a name, with or without escapes. */
export function isSpelling(text: string, start: number, end: number, name: string): boolean {
  if (end - start === name.length && text.startsWith(name, start)) return true;
  if (end - start <= name.length) return false;
  const raw = text.slice(start, end);
  return raw.includes("\\") && unescaped(raw) === name;
}

/** Returns the value of a member as JSON; null if it is absent or null. */
export function presentMember(object: string, name: string): string | null {
  const value = memberOf(object, name);
  return value === "null" ? null : value;
}

/** Returns the elements of an array, as JSON. */
export function elementsOf(array: string): string[] {
  const elements: string[] = [];
  let at = 1;
  while (array.charCodeAt(at) !== 0x5d) {
    const end = skipValue(array, at);
    elements.push(array.slice(at, end));
    at = array.charCodeAt(end) === 0x2c ? end + 1 : end;
  }
  return elements;
}

/** Returns the names of an object's members. */
export function namesOf(object: string): string[] { return membersOf(object).map((member) => member.name); }

/**
 * Returns an object reduced to some of its members; all if `fields` is null. Of a repeated member the last one counts.
 */
export function selection(object: string, fields: ReadonlySet<string> | null): string {
  if (fields === null) return object;
  const chosen = membersOf(object).filter((member) => fields.has(member.name));
  return `{${chosen.map((member) => `${member.spelled}:${member.value}`).join(",")}}`;
}

/** True if an object has all of the named members. */
export function hasAll(object: string, fields: ReadonlySet<string>): boolean {
  const names = new Set(namesOf(object));
  for (const field of fields) if (!names.has(field)) return false;
  return true;
}

const SPACE = /[ \t\n\r]/;

/** Removes white space between tokens from a valid text. */
export function compact(text: string): string {
  if (!SPACE.test(text)) return text;
  let result = "";
  let at = 0;
  let start = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = skipString(text, at);
    } else if (unit <= 0x20) {
      result += text.slice(start, at);
      start = at += 1;
    } else {
      at += 1;
    }
  }
  return result + text.slice(start);
}
