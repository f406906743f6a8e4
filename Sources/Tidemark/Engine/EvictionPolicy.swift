import TidemarkModel

/// The limits of a cache on the disk, and what to keep when entities are evicted.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.eviction.diskByteCountMax = 512 << 20
/// configuration.eviction.keptTypes = ["album"]
/// configuration.eviction.keptFields = ["photo": ["name", "thumbnail"]]
/// configuration.eviction.willEvict = { check in
///     print(check.tier, check.count, check.limit)
///     return true
/// }
/// ```
///
/// The limit of memory is ``CacheConfiguration/memoryByteCountMax``.
///
/// - Source: Protocol/limits.md.
public struct EvictionPolicy: Sendable {
    /// How many bytes below a limit an eviction goes, in memory and on the disk. Default: nil, a tenth of the limit. A
    /// tenth is also used for a limit that is lower than this number.
    ///
    /// A smaller number evicts more often, a few entities at a time; a larger one evicts entities that could have
    /// stayed.
    public var autoEvictByteCount: Int?

    /// The largest number of bytes on the disk, the write-ahead log included. Default: nil, no limit. Below
    /// ``diskByteCountMin`` every entity that can be evicted is evicted.
    public var diskByteCountMax: Int64?
    /// The largest number of entities in memory and on the disk together. Default: nil, no limit.
    public var entityCountMax: Int64?
    /// The types, as on the wire, whose entities are never evicted. Default: none.
    public var keptTypes: Set<ByteString> = []
    /// The top-level fields that survive an eviction, by type, as on the wire. Default: none.
    ///
    /// An entity of such a type is reduced to these fields, `id` and `uuid` instead of being evicted.
    public var keptFields: [ByteString: Set<ByteString>] = [:]
    /// Called before an eviction; returns whether entities may be evicted. Default: nil, they may.
    ///
    /// Memory and both tiers together each have at most one call under way. After false nothing is evicted until the
    /// next commit, and then this is called again. The cache continues meanwhile, and may exceed its limits further.
    public var willEvict: (@Sendable (EvictionCheck) async -> Bool)?

    /// Makes a policy without limits on the disk.
    public init() {}

    /// The size of an empty database, and as much again for data that is never evicted: 320 KiB.
    public static let diskByteCountMin: Int64 = 320 << 10

    /// True if entities may have to be evicted from both tiers.
    var limitsBothTiers: Bool { diskByteCountMax != nil || entityCountMax != nil }

    /// Returns the number of bytes at which an eviction stops.
    func goal(ofLimit byteCountMax: Int) -> Int {
        guard let autoEvictByteCount, autoEvictByteCount <= byteCountMax else {
            return byteCountMax - byteCountMax / 10
        }
        return byteCountMax - autoEvictByteCount
    }
}
