/// One line, or one batch member, that was put aside.
public struct QuarantineRecord: Hashable, Sendable {
    /// What the record holds.
    public enum Kind: UInt8, Sendable {
        /// A whole line of the input.
        case line = 0
        /// A member of a batch whose other members were applied.
        case member = 1
        /// A usable event that an upstream brought, of one type more than there is room for.
        case upstream = 2
    }

    /// Ascending in the order of arrival, never used twice; nil until the journal stored it.
    public var number: Int64?
    public var kind: Kind
    public var reason: QuarantineReason
    /// Line number in its input, from 1.
    public var line: Int64
    /// Offset of the line's first byte in its input.
    public var offset: Int64
    /// Where it could be read.
    public var library: ByteString?
    /// Where it could be read.
    public var sequence: EventSequence?
    /// Milliseconds since 1970.
    public var receivedAt: Int64
    /// The first `quarantineByteCountMax` bytes.
    public var bytes: [UInt8]
    /// The whole line's, or member's, size.
    public var byteCount: Int

    /// True when `bytes` is all there was, so that a retry can read it.
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
