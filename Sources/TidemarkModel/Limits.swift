/// The named limits of accepted data, each with its default.
///
/// - Source: Protocol/framing.md, limits.
public struct Limits: Hashable, Sendable {
    /// The bytes of a line without its LF and the CR before it: 16 MiB. A longer line is skipped, never buffered.
    public var lineByteCountMax = 16 << 20
    /// The containers that may be open at once on one line: 64. Values above ``nestingDepthCeiling`` count as that
    /// limit.
    public var nestingDepthMax = 64
    /// The containers that may be open at once in any entity: 256. Comparing values recurses this deep, and a file can
    /// be forged.
    public static let nestingDepthCeiling = 256
    /// The bytes of a stored entity as compact JSON: 16 MiB. A write that would leave more is refused. Values above
    /// ``entityByteCountCeiling`` count as that limit.
    public var entityByteCountMax = Limits.entityByteCountCeiling
    /// The bytes of the largest entity that a data file can hold: 16 MiB, the default of ``lineByteCountMax``.
    public static let entityByteCountCeiling = 16 << 20
    /// The members of one batch: 100,000.
    public var batchMemberCountMax = 100_000
    /// The bytes of an id, a library id, an epoch or a mutation id: 1,024.
    public var idByteCountMax = 1_024
    /// The bytes of a resource type: 128 of `[A-Za-z0-9_.-]`.
    public var typeByteCountMax = 128
    /// The libraries of one cache: 10,000.
    public var libraryCountMax = 10_000
    /// The resource types of one cache: 10,000; an event with one more is `bad_type`.
    public var typeCountMax = 10_000
    /// The held events of a library: 4,096. At the maximum the gap is reconciled at once.
    public var heldEventCountMax = 4_096
    /// The held bytes of a library: 8 MiB.
    public var heldByteCountMax = 8 << 20
    /// The bytes of a line that quarantine keeps: 4 KiB.
    public var quarantineByteCountMax = 4_096
    /// The records in quarantine: 10,000; beyond that the oldest are removed.
    public var quarantineRecordCountMax = 10_000
    /// The entities that one delete reaches by cascades: 1,000,000, the nearest first; entities beyond them stay.
    public var cascadeCountMax = 1_000_000
    /// The tombstones of one cache: 100,000; beyond that the oldest are removed.
    public var tombstoneCountMax = 100_000
    /// The age of a tombstone: 30 days, in milliseconds.
    public var tombstoneAgeMax: Int64 = 30 * 24 * 3_600 * 1_000
    /// The evicted entities that reads still report as evicted: 262,144; beyond that the oldest count as never seen.
    public var evictedKeyCountMax = 262_144
    /// The lost ranges of a library: 1,000; beyond that the two closest ranges are joined.
    public var lostRangeCountMax = 1_000
    /// The names of ignored kinds that are counted separately: 1,000; the rest are counted together.
    public var ignoredKindCountMax = 1_000

    /// The stored queries: 100,000; beyond that the least recently read query without observers is evicted.
    public var queryCountMax = 100_000
    /// The elements of one list: 1,000,000. Of a longer list the first elements are kept.
    public var queryElementCountMax = 1_000_000
    /// The observers of one cache: 100,000; a further one is refused.
    public var observerCountMax = 100_000
    /// The pending layers of one cache: 10,000; a further one is refused.
    public var layerCountMax = 10_000
    /// The ceiling of ``layerCountMax`` in a session, and the layers that are saved from a damaged file: 1,000,000.
    public static let layerCountCeiling = 1_000_000
    /// The bytes of all pending layers' changes: 64 MiB; more are refused.
    public var layerByteCountMax = 64 << 20
    /// The ceiling of ``layerByteCountMax``: 120 MiB. Twice as much fits into a row.
    public static let layerByteCountCeiling = 120 << 20

    public init() {}
}
