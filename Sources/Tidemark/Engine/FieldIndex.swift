import TidemarkModel
import TidemarkStore

/// A field of one type whose values the data file keeps in order, so that a search by this field need not scan all
/// entities.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.fieldIndexes = [FieldIndex("file./content_kind")].compactMap { $0 }
/// ```
///
/// - Source: Protocol/indexes.md.
public struct FieldIndex: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The largest number of indexes of one file: 64; a further one is refused. Writing an entity costs up to one more
    /// row for each index.
    public static let countMax = 64

    /// The resource type, under its own name or an alias.
    public let type: ByteString
    /// The field, as a JSON Pointer (RFC 6901) into the resource.
    public let path: ByteString

    /// Parses an index from its text, such as `file./content_kind`.
    ///
    /// - Parameter text: The type, a full stop and the pointer. The type ends at the first `./`.
    /// - Returns: nil when the text has no type or no pointer.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let dot = zip(bytes, bytes.dropFirst()).enumerated().first(where: { $1 == (0x2E, 0x2F) })?.offset else {
            return nil
        }
        self.init(type: ByteString(bytes[..<dot]), path: ByteString(bytes[(dot + 1)...]))
    }

    /// Makes an index of a type and a pointer.
    ///
    /// - Returns: nil when `type` is not a valid type name, or `path` is not a pointer to a field or is longer than
    ///   ``pathByteCountMax``.
    public init?(type: ByteString, path: ByteString) {
        let isName = type.bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, 1...Limits().typeByteCountMax ~= type.bytes.count, !path.bytes.isEmpty,
            path.bytes.count <= FieldIndex.pathByteCountMax
        else { return nil }
        do throws(MembershipError) {
            _ = try FieldPath(path)
        } catch {
            return nil
        }
        self.type = type
        self.path = path
    }

    /// The largest length of a pointer, in bytes: 1,024.
    public static let pathByteCountMax = 1_024

    /// The index as text: the type, a full stop and the pointer.
    public var description: String { "\(type).\(path)" }

    /// Orders indexes by type, then by pointer, both as bytes.
    public static func < (left: FieldIndex, right: FieldIndex) -> Bool {
        (left.type, left.path) < (right.type, right.path)
    }

    /// Returns this index under the type's own name, if it names an alias.
    func resolved(_ aliases: [ByteString: ByteString]) -> FieldIndex {
        aliases[type].flatMap { FieldIndex(type: $0, path: path) } ?? self
    }
}

/// The indexes that a writer adds and removes; all others stay.
public struct FieldIndexChanges: Sendable {
    /// The indexes to build, unless they exist.
    public var added: [FieldIndex] = []
    /// The indexes to remove, if they exist.
    public var dropped: [FieldIndex] = []

    /// Makes changes of indexes.
    public init(added: [FieldIndex] = [], dropped: [FieldIndex] = []) {
        self.added = added
        self.dropped = dropped
    }
}

/// How far the building of an index over existing entities has advanced.
public struct FieldIndexProgress: Sendable {
    /// The index that is being built.
    public var index: FieldIndex
    /// The number of entities that are indexed so far.
    public var entityCount: Int64
    /// The number of entities to index in all.
    public var totalCount: Int64

    /// Makes a progress report, for journals.
    public init(index: FieldIndex, entityCount: Int64, totalCount: Int64) {
        self.index = index
        self.entityCount = entityCount
        self.totalCount = totalCount
    }
}

extension CacheConfiguration {
    /// The indexes to add and to remove, under the types' own names.
    var fieldIndexChanges: FieldIndexChanges {
        FieldIndexChanges(
            added: fieldIndexes.map { $0.resolved(typeAliases) },
            dropped: droppedFieldIndexes.map { $0.resolved(typeAliases) })
    }
}
