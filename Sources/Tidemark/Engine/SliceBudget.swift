/// The time that one step of an eviction may hold the engine: 0.5 ms, checked every 64 entities, so that the step ends
/// within 1 ms also where evicting an entity takes long.
///
/// - Source: docs/decisions/0012-eviction.md.
struct SliceBudget {
    /// The number of entities between two checks of the clock.
    static let entityCount = 64
    /// The length of a step: 0.5 ms.
    private static let nanosecondCount: Int64 = 500_000

    private let clock: @Sendable () -> Int64
    private let end: Int64

    /// - Parameter clock: The nanoseconds of a clock that only goes forward.
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
