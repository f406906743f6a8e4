/// The named limits of what is accepted, each with its default.
///
/// - Source: Protocol/framing.md, limits.
public struct Limits: Hashable, Sendable {
    /// A line without its LF and the CR before it: 16 MiB. A longer one is skipped, never buffered.
    public var lineByteCountMax = 16 << 20
    /// Containers open at once on one line: 64. More than ``nestingDepthCeiling`` count as that.
    public var nestingDepthMax = 64
    /// Containers that are open at once in any entity: 256. What compares values recurses so deep, and a file can be forged.
    public static let nestingDepthCeiling = 256
    /// A stored entity, as compact JSON: 16 MiB. A write that would leave more is refused. More than ``entityByteCountCeiling``
    /// counts as that.
    public var entityByteCountMax = Limits.entityByteCountCeiling
    /// The largest entity that a data file can hold: 16 MiB, the default of ``lineByteCountMax``.
    public static let entityByteCountCeiling = 16 << 20
    /// Members of one batch: 100,000.
    public var batchMemberCountMax = 100_000
    /// An id, a library id, an epoch or a mutation id: 1,024 bytes.
    public var idByteCountMax = 1_024
    /// A resource type: 128 bytes of `[A-Za-z0-9_.-]`.
    public var typeByteCountMax = 128
    /// Libraries in one cache: 10,000.
    public var libraryCountMax = 10_000
    /// Different resource types in one cache: 10,000; an event with one more is `bad_type`.
    public var typeCountMax = 10_000
    /// Held events a library: 4,096. At the maximum the gap is reconciled at once.
    public var heldEventCountMax = 4_096
    /// Held bytes a library: 8 MiB.
    public var heldByteCountMax = 8 << 20
    /// What quarantine keeps of a line: 4 KiB.
    public var quarantineByteCountMax = 4_096
    /// Records in quarantine: 10,000; the oldest make room.
    public var quarantineRecordCountMax = 10_000
    /// Entities that one delete takes along: 1,000,000, those nearest to it; what lies behind them stays.
    public var cascadeCountMax = 1_000_000
    /// Tombstones: 100,000; the oldest make room.
    public var tombstoneCountMax = 100_000
    /// A tombstone's age: 30 days, in milliseconds.
    public var tombstoneAgeMax: Int64 = 30 * 24 * 3_600 * 1_000
    /// Evicted entities that reads still call evicted: 262,144; the oldest are forgotten.
    public var evictedKeyCountMax = 262_144
    /// Lost ranges a library: 1,000; past it the two that lie closest are joined.
    public var lostRangeCountMax = 1_000
    /// Names of ignored kinds that are counted apart: 1,000; the rest are counted together.
    public var ignoredKindCountMax = 1_000

    /// Stored queries: 100,000; the least recently read that nobody observes makes room.
    public var queryCountMax = 100_000
    /// Elements of one list: 1,000,000. A longer one shows the first of them.
    public var queryElementCountMax = 1_000_000
    /// Bytes of a query's method: 1,024.
    public var methodByteCountMax = 1_024
    /// Bytes of a query's input, tags or membership: 64 KiB each.
    public var queryInputByteCountMax = 64 << 10
    /// Observers of one cache: 100,000; one more is refused.
    public var observerCountMax = 100_000
    /// Pending layers of one cache: 10,000; one more is refused.
    public var layerCountMax = 10_000
    /// Bytes of all pending layers' changes: 64 MiB; more are refused.
    public var layerByteCountMax = 64 << 20
    /// The most that all layers' changes may take, whatever ``layerByteCountMax`` says: 120 MiB. Twice of it fits into a row.
    public static let layerByteCountCeiling = 120 << 20

    public init() {}
}
