/// A stream that a ``StreamGenerator`` made.
package struct GeneratedStream: Sendable {
    /// The stream that a cache reads, faults included.
    package let stream: [UInt8]
    /// The log that an upstream would answer from: every good sequenced event in order, one a line.
    package let log: [UInt8]

    package init(stream: [UInt8], log: [UInt8]) {
        self.stream = stream
        self.log = log
    }
}
