/// An answer that is observed.
public struct ObservedResponse: Sendable {
    /// The answer when the observation began.
    public var response: CachedResponse
    /// The answers since, for one reader: of several that come before it reads, the last. The observation ends with the
    /// iteration, or when the stream is dropped.
    public var changes: AsyncStream<CachedResponse>
}
