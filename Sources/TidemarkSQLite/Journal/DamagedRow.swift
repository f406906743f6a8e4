import TidemarkModel

/// A stored entity, query, layer, index or dictionary that failed its check and is treated as absent.
public struct DamagedRow: Hashable, Sendable, CustomStringConvertible {
    /// What the row holds.
    public enum Kind: String, Hashable, Sendable {
        /// A row of the table `entities`.
        case entity
        /// A row of the table `queries`.
        case query
        /// A row of the table `layers`: a pending edit, which no server has.
        case layer
        /// A row of the table `evicted`: what it names counts as never seen.
        case evicted
        /// A row of the table `indexes`: which field it is of cannot be known.
        case index
        /// A row of the table `dictionaries`; with it fail all entities that were compressed with it.
        case dictionary
    }

    /// Whose row it is; nil for what is no entity, or when the key cannot be read.
    public var key: EntityKey?
    /// Its number in the table that ``kind`` names.
    public var row: Int64
    public var kind: Kind
    /// What the check found.
    public var fault: PayloadFault

    public init(key: EntityKey? = nil, row: Int64, kind: Kind = .entity, fault: PayloadFault) {
        self.key = key
        self.row = row
        self.kind = kind
        self.fault = fault
    }

    /// One line for people; the key in it is not made printable.
    public var description: String {
        let name = key.map { "entity \($0.text) of library \"\($0.library)\"" } ?? kind.rawValue
        return "\(name), row \(row): \(fault.rawValue)"
    }
}
