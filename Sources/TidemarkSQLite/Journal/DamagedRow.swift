import TidemarkModel

/// A stored row that failed its check and counts as absent.
public struct DamagedRow: Hashable, Sendable, CustomStringConvertible {
    /// What a row stores.
    public enum Kind: String, Hashable, Sendable {
        /// A row of the table `entities`.
        case entity
        /// A row of the table `blocks`. Entities in it that cannot be read count as absent.
        case block
        /// A row of the table `segments`. The positions of its keys are read from all blocks instead.
        case segment
        /// A row of the table `changes`. Readers without an index in memory read the directories of its blocks instead.
        case change
        /// A row of the table `key_runs`. The keys in order are read from all blocks instead.
        case keyRun = "key_run"
        /// A row of the table `queries`.
        case query
        /// A row of the table `layers`: a pending edit, which no server has.
        case layer
        /// A row of the table `evicted`. The keys in it count as never seen.
        case evicted
        /// A row of the table `indexes`. The field that it indexed is unknown.
        case index
        /// A row of the table `http_answers`, or a chunk of its body. The response counts as not stored.
        case httpAnswer = "http_answer"
        /// A row of the table `dictionaries`. All entities that were compressed with it fail, too.
        case dictionary
    }

    /// The key of the entity; nil when the row is no entity, or its key cannot be read.
    public var key: EntityKey?
    /// The row's number in the table that ``kind-swift.property`` names; 0 when it has none.
    public var row: Int64
    /// What the row stores.
    public var kind: Kind
    /// The fault that the check found.
    public var fault: PayloadError

    /// Creates a description of a damaged row.
    public init(key: EntityKey? = nil, row: Int64, kind: Kind = .entity, fault: PayloadError) {
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
