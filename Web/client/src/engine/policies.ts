/** Where a read is answered from. Protocol/queries.md, fetch policies. */
export type FetchPolicy =
  | "cacheFirst" | "networkOnly" | "networkOnlyNoStore" | "cacheOnly" | "cacheAndNetwork" | "networkFirst" | "staleWhileRevalidate";

/** The policies by name. */
export const fetchPolicies: readonly FetchPolicy[] = [
  "cacheFirst", "networkOnly", "networkOnlyNoStore", "cacheOnly", "cacheAndNetwork", "networkFirst", "staleWhileRevalidate",
];
