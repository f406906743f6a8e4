/// A clock that is behind what is stored: it goes on from there.
///
/// A machine's clock that was set back between two runs would otherwise make everything written before look new for as long
/// as it was set back.
struct LateClock: CacheClock {
    let clock: any CacheClock
    /// Milliseconds that it is behind.
    let lag: Int64

    func now() -> Int64 { clock.now() + lag }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
    }
}
