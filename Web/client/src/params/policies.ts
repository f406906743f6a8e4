/** Whether the cache, the upstream or both answer a read. Protocol/queries.md, fetch policies. */
export type FetchPolicy =
  | "cacheFirst" | "networkOnly" | "networkOnlyNoStore" | "cacheOnly" | "cacheAndNetwork" | "networkFirst" | "staleWhileRevalidate";

/** All fetch policies. */
export const fetchPolicies: readonly FetchPolicy[] = [
  "cacheFirst", "networkOnly", "networkOnlyNoStore", "cacheOnly", "cacheAndNetwork", "networkFirst", "staleWhileRevalidate",
];
