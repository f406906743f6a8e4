/// How long one step of an eviction may hold the engine: 0.5 ms, looked at every 64 entities, so that it is over within 1 ms also
/// where entities are slow to go.
///
/// - Source: docs/decisions/0012-eviction.md.
struct SliceBudget {
    /// Entities between two looks at the clock.
    static let entityCount = 64
    /// 0.5 ms.
    private static let nanosecondCount: Int64 = 500_000

    private let clock: @Sendable () -> Int64
    private let end: Int64

    /// - Parameter clock: Nanoseconds of a clock that only goes forward.
    init(_ clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
        end = clock() + SliceBudget.nanosecondCount
    }

    var isSpent: Bool { clock() >= end }

    private static let origin = ContinuousClock.now

    /// Nanoseconds since some moment.
    static func elapsed() -> Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - origin).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
