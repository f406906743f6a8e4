import TidemarkModel

/// The limits and rules of eviction. The limit of memory is ``CacheConfiguration/memoryByteCountMax``.
public struct EvictionPolicy: Sendable {
    /// The number of bytes below a limit down to which an eviction frees space, in memory and on the disk; nil, the
    /// default: a tenth of the limit. A tenth is also used for a limit that is lower than this number.
    ///
    /// With a smaller number evictions run more often, for a few entities each; with a larger one entities are evicted
    /// without need.
    public var autoEvictByteCount: Int?

    /// The limit of bytes on the disk, the log included; nil, the default: no limit. Below ``diskByteCountMin`` every
    /// entity that can be evicted is evicted.
    public var diskByteCountMax: Int64?
    /// The limit of entities in both tiers together; nil, the default: no limit.
    public var entityCountMax: Int64?
    /// The types, as on the wire, whose entities are never evicted. Default: none.
    public var keptTypes: Set<ByteString> = []
    /// The top-level fields, by type, that survive an eviction, as on the wire. Default: none. When an entity of such a
    /// type has to be evicted, these fields stay, with `id` and `uuid`; all other fields are evicted.
    public var keptFields: [ByteString: Set<ByteString>] = [:]
    /// The delegate that is asked before an eviction, one question at a time for memory and one for both tiers; nil,
    /// the default: no delegate.
    ///
    /// After false nothing is evicted until the next commit; then the delegate is asked again. The cache continues
    /// meanwhile and may pass its limits further.
    public var willEvict: (@Sendable (EvictionCheck) async -> Bool)?

    public init() {}

    /// The size of an empty database, and as much again for data that is never evicted: 320 KiB.
    public static let diskByteCountMin: Int64 = 320 << 10

    /// Whether entities may have to be evicted from both tiers.
    var limitsBothTiers: Bool { diskByteCountMax != nil || entityCountMax != nil }

    /// Returns the number of bytes down to which an eviction frees space.
    func goal(ofLimit byteCountMax: Int) -> Int {
        guard let autoEvictByteCount, autoEvictByteCount <= byteCountMax else {
            return byteCountMax - byteCountMax / 10
        }
        return byteCountMax - autoEvictByteCount
    }
}
