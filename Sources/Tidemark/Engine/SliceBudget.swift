/// How long one step of an eviction may occupy the engine: 0.5 ms. The clock is read every 64 entities, so that the
/// step ends within 1 ms even where evicting an entity takes long.
///
/// - Source: docs/decisions/0012-eviction.md.
struct SliceBudget {
    /// How many entities are evicted between two reads of the clock.
    static let entityCount = 64
    /// The length of a step: 0.5 ms.
    private static let nanosecondCount: Int64 = 500_000

    private let clock: @Sendable () -> Int64
    private let end: Int64

    /// - Parameter clock: Returns the nanoseconds of a monotonic clock.
    init(_ clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
        end = clock() + SliceBudget.nanosecondCount
    }

    var isSpent: Bool { clock() >= end }

    private static let origin = ContinuousClock.now

    /// Returns the nanoseconds since a fixed moment.
    static func elapsed() -> Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - origin).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
