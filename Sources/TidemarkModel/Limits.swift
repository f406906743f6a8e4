/// The bounds of the data that a cache accepts and stores, each with its default.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limits.entityByteCountMax = 1 << 20
/// configuration.limits.observerCountMax = 1_000
/// ```
///
/// - Source: Protocol/framing.md, limits; docs/architecture.md, bounds.
public struct Limits: Hashable, Sendable {
    /// The largest line, without its LF and a CR before it: 16 MiB. A longer line is skipped without being buffered,
    /// and quarantined.
    public var lineByteCountMax = 16 << 20
    /// The largest number of containers that may be open at once on one line: 64. Values above ``nestingDepthCeiling``
    /// count as that.
    public var nestingDepthMax = 64
    /// The largest number of containers that may be open at once in any entity: 256. Comparing values recurses this
    /// deep, and a file may be forged.
    public static let nestingDepthCeiling = 256
    /// The largest stored entity as compact JSON: 16 MiB. A write that would make an entity larger is refused. Values
    /// above ``entityByteCountCeiling`` count as that.
    public var entityByteCountMax = Limits.entityByteCountCeiling
    /// The largest entity that a data file can store: 16 MiB, the default of ``lineByteCountMax``.
    public static let entityByteCountCeiling = 16 << 20
    /// The largest number of members of one batch: 100,000.
    public var batchMemberCountMax = 100_000
    /// The largest id, library id, epoch or mutation id, in bytes: 1,024.
    public var idByteCountMax = 1_024
    /// The largest resource type: 128 bytes of `[A-Za-z0-9_.-]`.
    public var typeByteCountMax = 128
    /// The largest number of libraries of one cache: 10,000. An event with one more is quarantined.
    public var libraryCountMax = 10_000
    /// The largest number of resource types of one cache: 10,000. An event with one more is quarantined as `bad_type`.
    public var typeCountMax = 10_000
    /// The largest number of held events of a library: 4,096. At the bound the upstream is asked at once; without one
    /// the first gap is declared lost.
    public var heldEventCountMax = 4_096
    /// The largest size of the held events of a library: 8 MiB, with the same effect at the bound.
    public var heldByteCountMax = 8 << 20
    /// How many bytes of a line the quarantine keeps: 4 KiB.
    public var quarantineByteCountMax = 4_096
    /// The largest number of records in quarantine: 10,000. Beyond it the oldest are removed.
    public var quarantineRecordCountMax = 10_000
    /// The largest number of entities that one delete reaches by cascades: 1,000,000, the nearest first. Those beyond
    /// stay.
    public var cascadeCountMax = 1_000_000
    /// The largest number of tombstones of one cache: 100,000. Beyond it the oldest are evicted.
    public var tombstoneCountMax = 100_000
    /// How long a tombstone is kept: 30 days, in milliseconds.
    public var tombstoneAgeMax: Int64 = 30 * 24 * 3_600 * 1_000
    /// How many evicted entities reads still report as evicted: 262,144. Older ones count as never seen.
    public var evictedKeyCountMax = 262_144
    /// The largest number of lost ranges of a library: 1,000. Beyond it the two closest are joined.
    public var lostRangeCountMax = 1_000
    /// How many names of ignored kinds are counted separately: 1,000. The rest are counted together.
    public var ignoredKindCountMax = 1_000

    /// The largest number of stored queries: 100,000. Beyond it the least recently read query without observers is
    /// evicted.
    public var queryCountMax = 100_000
    /// The largest number of elements of one list: 1,000,000. Of a longer list the first elements are kept.
    public var queryElementCountMax = 1_000_000
    /// The largest number of observers of one cache: 100,000. A further one is refused.
    public var observerCountMax = 100_000
    /// The largest number of pending edits of one cache: 10,000. A further one is refused.
    public var layerCountMax = 10_000
    /// The ceiling of ``layerCountMax`` in a session, and how many edits are saved from a damaged file: 1,000,000.
    public static let layerCountCeiling = 1_000_000
    /// The largest size of all pending edits' changes together: 64 MiB. An edit beyond it is refused.
    public var layerByteCountMax = 64 << 20
    /// The ceiling of ``layerByteCountMax``: 120 MiB. Twice as much fits into a row.
    public static let layerByteCountCeiling = 120 << 20

    /// Makes limits with the defaults.
    public init() {}
}
