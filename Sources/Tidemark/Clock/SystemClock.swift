#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The machine's clock, read once when this value is made and advanced by the time that has passed since.
///
/// Ages and expiry are differences between times. Setting the machine's clock, forwards or back, therefore changes none
/// of them while the program runs. Time while the machine is asleep counts.
public struct SystemClock: CacheClock {
    private let clock = ContinuousClock()
    private let time: AnchoredTime<ContinuousClock>

    /// Reads the machine's clock and starts to count from there.
    public init() {
        time = AnchoredTime(clock, wallTime: SystemClock.wallTime())
    }

    /// Returns the current time, in milliseconds since 1970.
    public func now() -> Int64 { time.now() }

    /// Suspends the current task for a number of milliseconds; time while the machine is asleep counts.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
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
