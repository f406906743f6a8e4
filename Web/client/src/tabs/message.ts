// The messages between tabs. Each is broadcast to all tabs; `to` names the recipient.

/** The version of the message format. Tabs of different versions do not see each other. */
export const VERSION = 1;

/** A message between tabs. */
export type TabMessage =
  /** Sent by a new tab that looks for the writing tab. */
  | { readonly is: "hello"; readonly from: string; }
  /** Sent by the writing tab when it becomes the writer, and in response to `hello`. */
  | { readonly is: "lead"; readonly from: string; }
  /** Sent by a tab that closes. */
  | { readonly is: "bye"; readonly from: string; }
  /** A request of a following tab; `method` is null for lines to ingest. */
  | { readonly is: "call"; readonly from: string; readonly to: string; readonly id: number; readonly method: string | null; readonly json: string; }
  /** The result of a call. */
  | { readonly is: "answer"; readonly to: string; readonly id: number; readonly json: string; }
  | { readonly is: "refusal"; readonly to: string; readonly id: number; readonly code: string; readonly message: string; readonly reasons: object; }
  /** Subscribes a tab to notifications about libraries, commits and the outbox. */
  | { readonly is: "listen"; readonly from: string; readonly to: string; }
  | { readonly is: "tell"; readonly to: string; readonly method: string; readonly json: string; }
  /** The pending edits, and for each observation by number whether it shows one. */
  | { readonly is: "edits"; readonly from: string; readonly json: string; readonly pending: readonly (readonly [number, boolean])[]; };

/** Returns the name of the channel on which tabs of one database communicate. */
export function channelName(name: string): string { return `tidemark:${name}:${VERSION}`; }

/** Returns the name of the lock that a tab holds as long as it exists. */
export function tabLock(name: string, tab: string): string { return `tidemark:${name}:tab:${tab}`; }
