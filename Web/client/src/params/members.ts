import { presentMember } from "../json/text.js";
import type { Limits } from "../model/limits.js";
import type { EventMember } from "../wire/events.js";
import { idOf, isIdTooLong } from "../wire/identity.js";

/** Returns the id of a resource, from `id` or else `uuid`, or why it has none. */
export function memberOfResource(resource: string, limits: Limits): EventMember {
  const json = presentMember(resource, "id") ?? presentMember(resource, "uuid");
  const id = json === null ? null : idOf(json);
  if (id === null) return { id: "", resource, reason: "missing_id" };
  return { id, resource, reason: isIdTooLong(id, limits.idByteCountMax) ? "id_too_long" : null };
}
