/** Parses server-sent events from text that may be cut anywhere. Keeps at most one unfinished event. */
export class SseReader {
  private rest = "";
  private event = "message";
  private data: string[] = [];
  private id: string | null = null;

  /** Creates a reader that calls `take` with each event's name, data, and last id (null if none was sent). */
  constructor(private readonly take: (event: string, data: string, id: string | null) => void) { }

  /** Parses the next piece of text. */
  append(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === "") {
      if (this.data.length > 0) this.take(this.event, this.data.join("\n"), this.id);
      this.event = "message";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (name === "event") this.event = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id") this.id = value;
  }
}
