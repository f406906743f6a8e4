import TidemarkModel

/// The state of a stream as reported to the cache that follows it.
package struct SourceState: Equatable, Sendable {
    /// False once no server has been connected for 5 seconds, until one is again.
    package var isReachable = true
    /// The stream's epoch if messages can be deleted from it without a trace; else nil.
    package var tracelessEpoch: ByteString?
}
