/// The time a cache goes by; injected, so that tests drive it.
public protocol CacheClock: Sendable {
    /// Milliseconds since 1970.
    func now() -> Int64

    /// Returns after a while, or throws when its task was cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}
