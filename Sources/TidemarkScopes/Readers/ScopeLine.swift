import TidemarkModel

/// One line for a client.
package struct ScopeLine: Hashable, Sendable {
    /// The line without its end.
    package let bytes: [UInt8]
    /// The number by which the client resumes behind the line; nil for a heartbeat and the end of a stream.
    package let number: ScopeNumber?
    /// The epoch of the line; nil for the end of a stream.
    package let epoch: ByteString?
    /// True for the last line of a stream.
    package let isEnd: Bool
    /// The position of the log that has to be on the disk before the line is sent.
    package let position: ScopePosition

    init(
        _ bytes: [UInt8], number: ScopeNumber? = nil, epoch: ByteString? = nil, isEnd: Bool = false,
        position: ScopePosition
    ) {
        self.bytes = bytes
        self.number = number
        self.epoch = epoch
        self.isEnd = isEnd
        self.position = position
    }
}
