import type { Link } from "../link/link";
import { LinkError } from "../link/link";
import type { Json } from "./json";
import { list, member, number } from "./json";

/** A page of the events that the cache keeps with their content, the newest first. */
export interface KeptPage {
  events: readonly Json[];
  /** The `before` of the next page. */
  next: number | null;
  /** The bytes of events that are kept; 0 where none are. */
  byteCountMax: number;
}

const NOTHING: KeptPage = { events: [], next: null, byteCountMax: 0 };

/** Asks for kept events. A cache that is only read, or that is older than this page, keeps none. */
export async function keptEvents(link: Link, params: object): Promise<KeptPage> {
  try {
    const answer = await link.call("log.list", params);
    return { events: list(answer, "events"), next: number(answer, "next"), byteCountMax: number(member(answer, "kept"), "bytes_max") ?? 0 };
  } catch (error) {
    if (error instanceof LinkError && (error.code === "read_only" || error.code === "-32601")) return NOTHING;
    throw error;
  }
}
