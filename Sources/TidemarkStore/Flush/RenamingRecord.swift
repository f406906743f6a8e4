import TidemarkModel

/// A temporary id that was renamed, as the journal keeps it.
///
/// - Source: Protocol/optimistic.md, temporary ids.
public struct RenamingRecord: Hashable, Sendable {
    /// The number, which orders renamings; no layer has it.
    public var number: Int64
    public var library: LibraryIndex
    /// The type of the entity; nil when it is unknown: the id is renamed under every type.
    public var type: TypeIndex?
    /// The temporary id, canonical.
    public var temporary: ByteString
    /// The real id, canonical.
    public var real: ByteString
    /// The real id as a JSON value, a string or an integer.
    public var json: [UInt8]
    /// Whether a newer entity has the temporary id; then it is renamed no more.
    public var isEnded: Bool

    public init(
        number: Int64, library: LibraryIndex, type: TypeIndex?, temporary: ByteString, real: ByteString, json: [UInt8],
        isEnded: Bool = false
    ) {
        self.number = number
        self.library = library
        self.type = type
        self.temporary = temporary
        self.real = real
        self.json = json
        self.isEnded = isEnded
    }

    /// The number of bytes that count toward the bound on renamings.
    package var byteCount: Int { 64 + temporary.bytes.count + real.bytes.count + json.count }
}
