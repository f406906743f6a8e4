import TidemarkModel
import TidemarkStore

/// A change of one record that a part of a cache, such as the views, keeps beside the entities. It is committed in the
/// transaction of the flush that takes it.
package struct RecordChange: AttachedChange, Hashable {
    /// Whose record it is, such as `view`.
    package let kind: ByteString
    /// The record's key, which is unique within its kind.
    package let key: ByteString
    /// The new content; nil to remove the record.
    package let body: [UInt8]?

    /// Creates a change.
    package init(kind: ByteString, key: ByteString, body: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.body = body
    }

    /// How the kinds of derived records end: `-result`.
    package static let derivedSuffix: ByteString = "-result"

    /// Returns true for a kind of records that are computed from entities, and hold only as long as whoever wrote them
    /// follows every change.
    package static func isDerived(_ kind: ByteString) -> Bool {
        kind.bytes.suffix(derivedSuffix.bytes.count).elementsEqual(derivedSuffix.bytes)
    }
}

/// Removes all derived records, see ``RecordChange/isDerived(_:)``: entities change, and no part of this cache keeps
/// such records true.
package struct DerivedRecordsRemoval: AttachedChange, Hashable {
    /// Creates the change.
    package init() {}
}

/// The part of a journal that keeps small records beside the entities. A journal without this part keeps none.
///
/// Whoever writes records bounds their number and their size.
package protocol RecordStorage: Sendable {
    /// Reads the records of a kind, as of the last commit.
    ///
    /// - Returns: The records by key. One that fails its check is left out.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func records(of kind: ByteString) async throws(StorageError) -> [ByteString: [UInt8]]
}
