import TidemarkModel

/// A stored entity, query, layer, index or dictionary that failed its check and counts as absent.
public struct DamagedRow: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a row's contents.
    public enum Kind: String, Hashable, Sendable {
        /// A row of the table `entities`.
        case entity
        /// A row of the table `blocks`: entities in it that cannot be read count as absent.
        case block
        /// A row of the table `segments`: the places of its keys are read from all blocks.
        case segment
        /// A row of the table `changes`: readers without an index in memory read the directories of its blocks.
        case change
        /// A row of the table `key_runs`: the keys in order are read from all blocks.
        case keyRun = "key_run"
        /// A row of the table `queries`.
        case query
        /// A row of the table `layers`: a pending edit, which is on no server.
        case layer
        /// A row of the table `evicted`: the keys that it names count as never seen.
        case evicted
        /// A row of the table `indexes`: its field cannot be known.
        case index
        /// A row of the table `http_answers`, or a chunk of its body: the answer counts as not there.
        case httpAnswer = "http_answer"
        /// A row of the table `dictionaries`. All entities that were compressed with it fail too.
        case dictionary
    }

    /// The key of the entity; nil when the row is no entity, or when the key cannot be read.
    public var key: EntityKey?
    /// The row's number in the table that ``kind`` names.
    public var row: Int64
    public var kind: Kind
    /// The fault that the check found.
    public var fault: PayloadFault

    public init(key: EntityKey? = nil, row: Int64, kind: Kind = .entity, fault: PayloadFault) {
        self.key = key
        self.row = row
        self.kind = kind
        self.fault = fault
    }

    /// One line for people. The key in it may contain characters that are not printable.
    public var description: String {
        let name = key.map { "entity \($0.text) of library \"\($0.library)\"" } ?? kind.rawValue
        return "\(name), row \(row): \(fault.rawValue)"
    }
}
