import type { JsonValue } from "../json/exact.js";

/** A JSON object: a value for each name. */
export interface JsonObject { readonly [name: string]: JsonValue; }

/** An entity's id in a request. The cache compares ids as strings. */
export type Id = string | number | bigint;
