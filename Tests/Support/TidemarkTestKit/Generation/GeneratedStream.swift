/// A stream made by a ``StreamGenerator``.
package struct GeneratedStream: Sendable {
    /// The stream that a cache reads, with faults.
    package let stream: [UInt8]
    /// The log of the upstream: every good event with a sequence, in order, one per line.
    package let log: [UInt8]

    /// Creates a stream with its log.
    package init(stream: [UInt8], log: [UInt8]) {
        self.stream = stream
        self.log = log
    }
}
