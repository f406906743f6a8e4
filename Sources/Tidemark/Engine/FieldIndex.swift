import TidemarkModel
import TidemarkStore

/// A field of one type whose values a data file keeps in order, so that a reader of some entities need not scan all.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.fieldIndexes = [FieldIndex("file./content_kind")].compactMap { $0 }
/// ```
///
/// - Source: Protocol/indexes.md.
public struct FieldIndex: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The largest number of indexes of one file: 64; a further one is refused. Each index costs up to one row when an
    /// entity is written.
    public static let countMax = 64

    /// The resource type; an alias stands for the type that it names.
    public let type: ByteString
    /// The field: a JSON Pointer (RFC 6901) into the resource.
    public let path: ByteString

    /// - Parameter text: The type, a full stop and the pointer: `file./content_kind`. The type ends at the first `./`.
    /// - Returns: nil when the text has no type or no pointer.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let dot = zip(bytes, bytes.dropFirst()).enumerated().first(where: { $1 == (0x2E, 0x2F) })?.offset else {
            return nil
        }
        self.init(type: ByteString(bytes[..<dot]), path: ByteString(bytes[(dot + 1)...]))
    }

    /// - Returns: nil when `type` is not a valid type name, or `path` is not a pointer to a field.
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

    /// The type, a full stop and the pointer.
    public var description: String { "\(type).\(path)" }

    public static func < (left: FieldIndex, right: FieldIndex) -> Bool {
        (left.type, left.path) < (right.type, right.path)
    }

    /// Returns this index with the type that its alias names.
    func resolved(_ aliases: [ByteString: ByteString]) -> FieldIndex {
        aliases[type].flatMap { FieldIndex(type: $0, path: path) } ?? self
    }
}

/// The indexes that a writer adds and removes; others stay unchanged.
public struct FieldIndexChanges: Sendable {
    public var added: [FieldIndex] = []
    public var dropped: [FieldIndex] = []

    public init(added: [FieldIndex] = [], dropped: [FieldIndex] = []) {
        self.added = added
        self.dropped = dropped
    }
}

/// The progress of an index that is being built over a file with entities.
public struct FieldIndexProgress: Sendable {
    public var index: FieldIndex
    /// The number of entities that are indexed.
    public var entityCount: Int64
    /// The number of entities to index.
    public var totalCount: Int64

    public init(index: FieldIndex, entityCount: Int64, totalCount: Int64) {
        self.index = index
        self.entityCount = entityCount
        self.totalCount = totalCount
    }
}

extension CacheConfiguration {
    /// The changes of indexes, with aliases resolved.
    var fieldIndexChanges: FieldIndexChanges {
        FieldIndexChanges(
            added: fieldIndexes.map { $0.resolved(typeAliases) },
            dropped: droppedFieldIndexes.map { $0.resolved(typeAliases) })
    }
}
