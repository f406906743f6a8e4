import TidemarkModel

/// The state of a stream that a cache follows, as far as the cache is told of it.
package struct SourceState: Equatable, Sendable {
    /// False after 5 seconds without a server, until there is one again.
    package var isReachable = true
    /// The epoch of the stream if messages can be deleted from it without a trace.
    package var tracelessEpoch: ByteString?
}
