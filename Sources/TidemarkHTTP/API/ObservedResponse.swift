/// A response that is being observed: its current state and its changes.
public struct ObservedResponse: Sendable {
    /// The response at the start of the observation.
    public var response: CachedResponse
    /// The later responses, for a single reader. A slow reader gets only the latest one. The observation ends with the
    /// iteration, or when the stream is released.
    public var changes: AsyncStream<CachedResponse>
}
