import type { Json } from "./json";
import { list, member, number, parse, text } from "./json";

/** An event in a recording. */
export interface RecordedEvent {
  /** When it was read, in milliseconds since 1970. */
  at: number;
  /** `lines` for an event of the input, `answer` for one in an upstream's response. */
  step: string;
  /** The event. */
  event: Json;
}

/**
 * Finds the newest event with a sequence in a recording; null if there is none. Reads the recording in pieces, and
 * parses only lines that may contain the event.
 *
 * An event without `library_id` belongs to the default library, which the first line of a recording names.
 */
export async function findEvent(recording: Blob, library: string, sequence: number): Promise<RecordedEvent | null> {
  const reader = recording.stream().getReader();
  const decoder = new TextDecoder();
  const mark = `"sequence":${sequence}`;
  let defaultLibrary: string | null = null;
  let rest = "";
  let found: RecordedEvent | null = null;
  const take = (line: string): void => {
    if (defaultLibrary === null) {
      defaultLibrary = text(member(parse(line), "configuration"), "default_library") ?? "";
    } else if (line.includes(mark) && line.includes("\"step\"")) {
      const step = parse(line);
      for (const entry of list(step, "lines")) {
        const event = member(entry, "json") ?? null;
        if (number(event, "sequence") !== sequence || (text(event, "library_id") ?? defaultLibrary) !== library) continue;
        found = { at: number(step, "at") ?? 0, step: text(step, "step") ?? "", event };
      }
    }
  };
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + decoder.decode(piece.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  return found;
}
