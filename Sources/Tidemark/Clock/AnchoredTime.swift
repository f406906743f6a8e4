/// Wall-clock time that is read once and then advanced by a clock that nobody can set.
struct AnchoredTime<Steady: Clock>: Sendable where Steady.Duration == Duration {
    private let clock: Steady
    private let start: Steady.Instant
    /// The time of day at `start`, in milliseconds since 1970.
    private let wallTime: Int64

    init(_ clock: Steady, wallTime: Int64) {
        self.clock = clock
        start = clock.now
        self.wallTime = wallTime
    }

    /// Returns the milliseconds since 1970.
    func now() -> Int64 {
        let passed = start.duration(to: clock.now).components
        return wallTime + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
