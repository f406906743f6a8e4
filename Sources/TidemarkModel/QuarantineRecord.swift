/// A line, or a member of a batch, that could not be used.
///
/// - Source: Protocol/framing.md, quarantine.
public struct QuarantineRecord: Hashable, Sendable {
    /// What a record contains.
    public enum Kind: UInt8, Sendable {
        /// A whole line of the input.
        case line = 0
        /// A member of a batch whose other members were applied.
        case member = 1
        /// A usable event of an upstream that could not be stored: one more resource type than allowed, or an entity
        /// that is too large.
        case upstream = 2
    }

    /// The record's number, ascending in the order of arrival and never used twice; nil until the journal has stored
    /// it.
    public var number: Int64?
    /// What the record contains.
    public var kind: Kind
    /// Why it cannot be used.
    public var reason: QuarantineReason
    /// The number of the line in its input, from 1.
    public var line: Int64
    /// The offset of the line's first byte in its input.
    public var offset: Int64
    /// The library; nil when it cannot be read.
    public var library: ByteString?
    /// The sequence; nil when it cannot be read.
    public var sequence: EventSequence?
    /// When it arrived, in milliseconds since 1970.
    public var receivedAt: Int64
    /// The bytes of the line or member, at most the first ``Limits/quarantineByteCountMax``.
    public var bytes: [UInt8]
    /// The whole size of the line or member, in bytes.
    public var byteCount: Int

    /// True if ``bytes`` is the whole line or member, so that it can be retried.
    public var isComplete: Bool { bytes.count == byteCount }

    /// Makes a record.
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
