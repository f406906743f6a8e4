/// The clock of a cache; injected, so that tests can drive it.
public protocol CacheClock: Sendable {
    /// Returns the milliseconds since 1970.
    func now() -> Int64

    /// Returns after a time, or throws when its task was cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}
