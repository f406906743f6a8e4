/// What a ``StreamGenerator`` gives.
package struct GeneratedStream: Sendable {
    /// The stream as a cache meets it, faults included.
    package let stream: [UInt8]
    /// Every good sequenced event in order, one a line: what an upstream would answer from.
    package let log: [UInt8]

    package init(stream: [UInt8], log: [UInt8]) {
        self.stream = stream
        self.log = log
    }
}
