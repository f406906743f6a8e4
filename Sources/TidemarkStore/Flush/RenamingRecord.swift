import TidemarkModel

/// The renaming of a temporary id to the real one, as a journal stores it.
///
/// - Source: Protocol/optimistic.md, temporary ids.
public struct RenamingRecord: Hashable, Sendable {
    /// The renaming's number. Renamings apply in the order of their numbers; no layer has the same number.
    public var number: Int64
    /// The library of the renamed entity.
    public var library: LibraryIndex
    /// The type of the renamed entity; nil if it is unknown, and the id is renamed under every type.
    public var type: TypeIndex?
    /// The temporary id in its canonical form.
    public var temporary: ByteString
    /// The real id in its canonical form.
    public var real: ByteString
    /// The real id as a JSON value, a string or an integer, as the server sent it.
    public var json: [UInt8]
    /// True if a newer entity uses the temporary id, so that it is no longer renamed.
    public var isEnded: Bool

    /// Creates the record of a renaming.
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

    /// How many bytes this renaming counts toward the bound on renamings.
    package var byteCount: Int { 64 + temporary.bytes.count + real.bytes.count + json.count }
}
