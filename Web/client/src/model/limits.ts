/** The bounds of a cache: how much of everything is accepted and kept. Protocol/framing.md and Protocol/limits.md. */
export interface Limits {
  /** Bytes of a line, without its end. */
  lineByteCountMax: number;
  /** Containers that are open at once on a line. */
  nestingDepthMax: number;
  /** Bytes of a stored entity. */
  entityByteCountMax: number;
  /** Members of a batch, operations of a transaction, resources of an answer. */
  batchMemberCountMax: number;
  /** Bytes of an id, a library id, an epoch or a mutation id. */
  idByteCountMax: number;
  /** Bytes of a type. */
  typeByteCountMax: number;
  /** Libraries. */
  libraryCountMax: number;
  /** Types. */
  typeCountMax: number;
  /** Events of one library that wait behind a gap. */
  heldEventCountMax: number;
  /** Bytes of the lines of one library that wait behind a gap. */
  heldByteCountMax: number;
  /** Bytes of lines that wait while a full library's upstream is asked. */
  aheadByteCountMax: number;
  /** Bytes of a line that are kept in quarantine. */
  quarantineByteCountMax: number;
  /** Records in quarantine. */
  quarantineRecordCountMax: number;
  /** Tombstones. */
  tombstoneCountMax: number;
  /** Milliseconds that a tombstone is kept. */
  tombstoneAgeMax: number;
  /** Evicted keys that are remembered. */
  evictedKeyCountMax: number;
  /** Lost ranges of one library. */
  lostRangeCountMax: number;
  /** Names of unknown kinds that are counted apart. */
  ignoredKindCountMax: number;
  /** Entities; the least recently used go past it. */
  entityCountMax: number;
  /** Queries. */
  queryCountMax: number;
  /** Elements of a list. */
  queryElementCountMax: number;
  /** Bytes of a query's method. */
  methodByteCountMax: number;
  /** Bytes of a query's canonical input. */
  inputByteCountMax: number;
  /** Observers of queries and entities. */
  observerCountMax: number;
  /** Fetches that are under way at once. */
  fetchCountMax: number;
  /** Pending layers. */
  layerCountMax: number;
  /** Bytes of the changes of all pending layers. */
  layerByteCountMax: number;
}

/** The bounds that hold where a program names no others. */
export const defaultLimits: Limits = {
  lineByteCountMax: 16 << 20, nestingDepthMax: 64, entityByteCountMax: 16 << 20, batchMemberCountMax: 100_000,
  idByteCountMax: 1_024, typeByteCountMax: 128, libraryCountMax: 10_000, typeCountMax: 10_000,
  heldEventCountMax: 4_096, heldByteCountMax: 8 << 20, aheadByteCountMax: 16 << 20, quarantineByteCountMax: 4_096,
  quarantineRecordCountMax: 10_000, tombstoneCountMax: 100_000, tombstoneAgeMax: 30 * 24 * 3_600 * 1_000,
  evictedKeyCountMax: 262_144, lostRangeCountMax: 1_000, ignoredKindCountMax: 1_000, entityCountMax: Infinity,
  queryCountMax: 100_000, queryElementCountMax: 1_000_000, methodByteCountMax: 1_024, inputByteCountMax: 1 << 20,
  observerCountMax: 100_000, fetchCountMax: 1_000, layerCountMax: 10_000, layerByteCountMax: 64 << 20,
};
