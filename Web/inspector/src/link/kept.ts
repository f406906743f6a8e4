import type { Json } from "../model/json";
import { list, member, number } from "../model/json";
import type { Link } from "./link";
import { LinkError } from "./link";

/** A page of the events that the cache keeps with their content, newest first. */
export interface KeptPage {
  /** The events, as `log.list` returns them. */
  events: readonly Json[];
  /** The `before` of the next page; null after the last page. */
  next: number | null;
  /** Maximum bytes of kept events; 0 if the cache keeps none. */
  byteCountMax: number;
}

const NOTHING: KeptPage = { events: [], next: null, byteCountMax: 0 };

/** Requests kept events. A cache that is read-only, or older than this page, keeps none. */
export async function keptEvents(link: Link, params: object): Promise<KeptPage> {
  try {
    const answer = await link.call("log.list", params);
    return { events: list(answer, "events"), next: number(answer, "next"), byteCountMax: number(member(answer, "kept"), "bytes_max") ?? 0 };
  } catch (error) {
    if (error instanceof LinkError && (error.code === "read_only" || error.code === "-32601")) return NOTHING;
    throw error;
  }
}
