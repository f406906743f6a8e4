import Tidemark
import TidemarkModel
import TidemarkViews

/// The definition of a view as a record beside the entities: under the length of its library's name, that name and its
/// own, the rule.
package struct ViewRecord: Sendable {
    /// The kind of these records.
    package static let kind: ByteString = "view"

    /// The library.
    package let library: ByteString
    /// The name of the view.
    package let name: ByteString

    /// Creates the place of a definition.
    package init(library: ByteString, name: ByteString) {
        self.library = library
        self.name = name
    }

    /// Reads the key of a record; nil if it is none of a definition.
    package init?(key: ByteString) {
        let parts = key.bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(String(decoding: parts[0], as: UTF8.self)),
            0...parts[1].count ~= count
        else { return nil }
        library = ByteString(Array(parts[1].prefix(count)))
        name = ByteString(Array(parts[1].dropFirst(count)))
    }

    /// The key of the record.
    package var key: ByteString { ByteString(Array("\(library.bytes.count):".utf8 + library.bytes + name.bytes)) }

    /// Returns the change that writes a rule; nil removes it.
    package func change(to rule: ViewRule?) -> RecordChange {
        RecordChange(kind: ViewRecord.kind, key: key, body: rule?.canonical)
    }

    /// Returns the change that writes a result; nil removes it.
    func change(toResult body: [UInt8]?) -> RecordChange {
        RecordChange(kind: StoredResult.kind, key: key, body: body)
    }
}
