// What tabs say to each other. All of them hear everything; `to` names the one that is meant.

/** The form of the messages; tabs of another one do not understand each other. */
export const VERSION = 1;

/** A message between tabs. */
export type TabMessage =
  /** A tab is there, and looks for the one that writes. */
  | { readonly is: "hello"; readonly from: string; }
  /** A tab writes from now on, or is asked who does. */
  | { readonly is: "lead"; readonly from: string; }
  /** A tab goes. */
  | { readonly is: "bye"; readonly from: string; }
  /** A request; `method` is null for lines to ingest. */
  | { readonly is: "call"; readonly from: string; readonly to: string; readonly id: number; readonly method: string | null; readonly json: string; }
  /** Its answer. */
  | { readonly is: "answer"; readonly to: string; readonly id: number; readonly json: string; }
  | { readonly is: "refusal"; readonly to: string; readonly id: number; readonly code: string; readonly message: string; readonly reasons: object; }
  /** A tab wants to hear of libraries, commits and the outbox. */
  | { readonly is: "listen"; readonly from: string; readonly to: string; }
  | { readonly is: "tell"; readonly to: string; readonly method: string; readonly json: string; }
  /** The pending edits, and which observations they concern. */
  | { readonly is: "edits"; readonly from: string; readonly json: string; readonly pending: readonly (readonly [number, boolean])[]; };

/** The name under which tabs of one database meet. */
export function channelName(name: string): string { return `tidemark:${name}:${VERSION}`; }

/** The name of the lock that a tab holds as long as it is there. */
export function tabLock(name: string, tab: string): string { return `tidemark:${name}:tab:${tab}`; }
