import TidemarkModel

/// How a cache makes room. What it may take in memory is ``CacheConfiguration/memoryByteCountMax``.
public struct EvictionPolicy: Sendable {
    /// Bytes that an eviction frees below a limit, in memory and on the disk alike; nil, the default: a tenth of that limit. Of a limit that
    /// is lower a tenth is freed, too.
    ///
    /// With less, room is made again and again for every few entities; with more, entities go that nobody was in the way of.
    public var autoEvictByteCount: Int?

    /// Bytes that the cache may take on the disk, its log included; nil, the default, for no limit. With less than
    /// ``diskByteCountMin`` nothing stays that can go.
    public var diskByteCountMax: Int64?
    /// Entities in both tiers together; nil, the default: any number.
    public var entityCountMax: Int64?
    /// Types whose entities are never evicted, as on the wire: none.
    public var keptTypes: Set<ByteString> = []
    /// Top-level fields by type, as on the wire: none. When an entity of such a type has to go, these fields stay, with `id` and `uuid`; all
    /// others are then evicted.
    public var keptFields: [ByteString: Set<ByteString>] = [:]
    /// Asked before an eviction, one question at a time for memory and one for both tiers; nil, the default: nobody.
    ///
    /// With false nothing goes until the next commit, after which it is asked again. The cache goes on meanwhile, and may pass its limits
    /// further.
    public var willEvict: (@Sendable (EvictionCheck) async -> Bool)?

    public init() {}

    /// An empty database, and as much again for what is never evicted: 320 KiB.
    public static let diskByteCountMin: Int64 = 320 << 10

    /// Whether entities may have to leave both tiers.
    var limitsBothTiers: Bool { diskByteCountMax != nil || entityCountMax != nil }

    /// Down to what an eviction frees.
    func goal(ofLimit byteCountMax: Int) -> Int {
        guard let autoEvictByteCount, autoEvictByteCount <= byteCountMax else {
            return byteCountMax - byteCountMax / 10
        }
        return byteCountMax - autoEvictByteCount
    }
}
