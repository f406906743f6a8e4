#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The machine's clock: its time when this value was made, plus the time that has passed since.
///
/// Ages and expiry are differences of times. Setting the machine's clock, forwards or back, changes none of them while
/// the program runs; time asleep counts.
public struct SystemClock: CacheClock {
    private let clock = ContinuousClock()
    private let time: AnchoredTime<ContinuousClock>

    public init() {
        time = AnchoredTime(clock, wallTime: SystemClock.wallTime())
    }

    public func now() -> Int64 { time.now() }

    public func sleep(milliseconds: Int64) async throws(CancellationError) {
        do {
            try await clock.sleep(for: .milliseconds(milliseconds))
        } catch {
            throw CancellationError()
        }
    }

    /// Returns the milliseconds since 1970.
    private static func wallTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
