import { quoted } from "../json/text.js";
import { Raw } from "../out/raw.js";

/** A row of a result as it is shown: its own JSON object, and its includes, which are members of it. */
export class RenderedRow {
  private whole: string | null = null;
  private answer: Raw | null = null;

  /** Creates a row; `own` is a JSON object without the includes. */
  constructor(readonly own: string, readonly includes: readonly RenderedInclude[]) { }

  /** The row in an answer; the same object each time, so that it is parsed once. */
  get raw(): Raw { return this.answer ??= new Raw(this.text); }

  /** The row as JSON. */
  get text(): string {
    if (this.includes.length === 0) return this.own;
    if (this.whole !== null) return this.whole;
    const members = this.includes.map(({ name, content }) => `${quoted(name)}:${contentText(content)}`).join(",");
    return this.whole = `${this.own.slice(0, -1)}${this.own.length > 2 ? "," : ""}${members}}`;
  }
}

/** An include of a row. */
export interface RenderedInclude { readonly name: string; readonly content: Content; }

/** A row of an include, with the key that tells it from the others. */
export interface RenderedElement { readonly key: string; readonly row: RenderedRow; }

/** The object of aggregates; the first row, or null; or the rows of a list. */
export type Content =
  | { readonly is: "object"; readonly text: string; } | { readonly is: "one"; readonly element: RenderedElement | null; }
  | { readonly is: "list"; readonly elements: readonly RenderedElement[]; };

/** Returns an include as JSON. */
export function contentText(content: Content): string {
  switch (content.is) {
    case "object": return content.text;
    case "one": return content.element?.row.text ?? "null";
    case "list": return `[${content.elements.map(({ row }) => row.text).join(",")}]`;
  }
}
