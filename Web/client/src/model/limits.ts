/** The bounds of a cache's input and state; each is a maximum. Protocol/framing.md and Protocol/limits.md. */
export interface Limits {
  /** The maximum length of a line in bytes, without its end. */
  lineByteCountMax: number;
  /** The maximum depth of nested arrays and objects on a line. */
  nestingDepthMax: number;
  /** The maximum size of a stored entity in bytes. */
  entityByteCountMax: number;
  /** The maximum number of members in a batch, of operations in a transaction, and of resources in a response. */
  batchMemberCountMax: number;
  /** The maximum length of an id, a library id, an epoch or a mutation id in bytes. */
  idByteCountMax: number;
  /** The maximum length of a type's name in bytes. */
  typeByteCountMax: number;
  /** The maximum number of libraries. */
  libraryCountMax: number;
  /** The maximum number of types. */
  typeCountMax: number;
  /** The maximum number of events of one library that are held behind a gap. */
  heldEventCountMax: number;
  /** The maximum total size, in bytes, of the lines of one library that are held behind a gap. */
  heldByteCountMax: number;
  /** The maximum total size, in bytes, of the lines that wait while a full library's upstream is asked. */
  aheadByteCountMax: number;
  /** The maximum number of bytes that the quarantine keeps of one line. */
  quarantineByteCountMax: number;
  /** The maximum number of records in quarantine. */
  quarantineRecordCountMax: number;
  /** The maximum number of tombstones. */
  tombstoneCountMax: number;
  /** The maximum time for which a tombstone is kept, in milliseconds. */
  tombstoneAgeMax: number;
  /** The maximum number of evicted keys that are remembered. */
  evictedKeyCountMax: number;
  /** The maximum number of lost ranges of one library. */
  lostRangeCountMax: number;
  /** The maximum number of unknown event kinds that are counted by name. */
  ignoredKindCountMax: number;
  /** The maximum number of entities. Beyond it, the least recently used ones are evicted. */
  entityCountMax: number;
  /** The maximum number of stored queries. */
  queryCountMax: number;
  /** The maximum number of elements in a list. */
  queryElementCountMax: number;
  /** The maximum length of a query's method in bytes. */
  methodByteCountMax: number;
  /** The maximum size of a query's canonical input in bytes. */
  inputByteCountMax: number;
  /** The maximum number of observers of queries and entities. */
  observerCountMax: number;
  /** The maximum number of fetches that run at the same time. */
  fetchCountMax: number;
  /** The maximum number of pending layers. */
  layerCountMax: number;
  /** The maximum total size, in bytes, of the changes of all pending layers. */
  layerByteCountMax: number;
  /** The maximum size of a view's rule as JSON, in bytes. */
  ruleByteCountMax: number;
  /** The maximum number of predicates in a view's rule: each operator, `all`, `any` and `not` is one. */
  predicateCountMax: number;
  /** The maximum number of observed views. */
  viewCountMax: number;
  /** The maximum number of uses of views in one library: rules with the values of their parameters. */
  useCountMax: number;
  /** The maximum number of rows in the result of a view. */
  rowCountMax: number;
}

/** The bounds that apply unless a program sets others. */
export const defaultLimits: Limits = {
  lineByteCountMax: 16 << 20, nestingDepthMax: 64, entityByteCountMax: 16 << 20, batchMemberCountMax: 100_000,
  idByteCountMax: 1_024, typeByteCountMax: 128, libraryCountMax: 10_000, typeCountMax: 10_000,
  heldEventCountMax: 4_096, heldByteCountMax: 8 << 20, aheadByteCountMax: 16 << 20, quarantineByteCountMax: 4_096,
  quarantineRecordCountMax: 10_000, tombstoneCountMax: 100_000, tombstoneAgeMax: 30 * 24 * 3_600 * 1_000,
  evictedKeyCountMax: 262_144, lostRangeCountMax: 1_000, ignoredKindCountMax: 1_000, entityCountMax: Infinity,
  queryCountMax: 100_000, queryElementCountMax: 1_000_000, methodByteCountMax: 1_024, inputByteCountMax: 1 << 20,
  observerCountMax: 100_000, fetchCountMax: 1_000, layerCountMax: 10_000, layerByteCountMax: 64 << 20,
  ruleByteCountMax: 64 << 10, predicateCountMax: 1_000, viewCountMax: 10_000, useCountMax: 1_000_000, rowCountMax: 1_000_000,
};
