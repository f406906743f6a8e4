/// One quarantined line or batch member.
public struct QuarantineRecord: Hashable, Sendable {
    /// The contents of a record.
    public enum Kind: UInt8, Sendable {
        /// A whole line of the input.
        case line = 0
        /// A member of a batch whose other members were applied.
        case member = 1
        /// A usable event from an upstream whose resource type exceeds the limit of types.
        case upstream = 2
    }

    /// The record's number, ascending in the order of arrival and never used twice; nil until the journal stored it.
    public var number: Int64?
    public var kind: Kind
    public var reason: QuarantineReason
    /// The number of the line in its input, from 1.
    public var line: Int64
    /// The offset of the line's first byte in its input.
    public var offset: Int64
    /// The library; nil when it could not be read.
    public var library: ByteString?
    /// The sequence; nil when it could not be read.
    public var sequence: EventSequence?
    /// The time of arrival, in milliseconds since 1970.
    public var receivedAt: Int64
    /// The first `quarantineByteCountMax` bytes.
    public var bytes: [UInt8]
    /// The whole size of the line or member, in bytes.
    public var byteCount: Int

    /// Whether `bytes` is the whole line or member, so that a retry can read it.
    public var isComplete: Bool { bytes.count == byteCount }

    public init(
        number: Int64? = nil, kind: Kind, reason: QuarantineReason, line: Int64, offset: Int64,
        library: ByteString?, sequence: EventSequence?, receivedAt: Int64, bytes: [UInt8], byteCount: Int
    ) {
        self.number = number
        self.kind = kind
        self.reason = reason
        self.line = line
        self.offset = offset
        self.library = library
        self.sequence = sequence
        self.receivedAt = receivedAt
        self.bytes = bytes
        self.byteCount = byteCount
    }
}
