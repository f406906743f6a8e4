/// How a cache makes room. What it may take in memory is ``CacheConfiguration/memoryByteCountMax``.
public struct EvictionPolicy: Sendable {
    /// Bytes that an eviction frees below a limit; nil, the default: a tenth of that limit.
    ///
    /// With less, room is made again and again for every few entities; with more, entities go that nobody was in the way of.
    public var autoEvictByteCount: Int?

    public init() {}

    /// Down to what an eviction frees.
    func goal(ofLimit byteCountMax: Int) -> Int {
        max(0, byteCountMax - (autoEvictByteCount ?? byteCountMax / 10))
    }
}
