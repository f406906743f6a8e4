import Tidemark
import TidemarkModel
import TidemarkStore

/// A selection of entities of one type, with their order.
///
/// - Source: Protocol/indexes.md.
public struct EntitySelection: Sendable {
    /// The only library to read; nil means all libraries, one after another in the order of their ids.
    public var library: ByteString?
    /// The entity after which to begin, at its current place; nil means from the first entity.
    public var after: EntityKey?
    /// The maximum number of entities.
    public var countMax: Int
    /// The rule, of which `where` and `order` count; its own limit is ignored.
    package var rule: Membership

    package init(rule: Membership, library: ByteString? = nil, after: EntityKey? = nil, countMax: Int = .max) {
        self.rule = rule
        self.library = library
        self.after = after
        self.countMax = countMax
    }
}

/// The way in which entities were found, to explain the time that it took.
public struct ReadPlan: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable {
        /// Every entity of the type was read.
        case scan
        /// An index was read in its order, up to the last entity that was wanted.
        case walk
        /// All entities that an index names were read and then sorted.
        case range
    }

    public var method: Method
    /// The index that was used; nil for ``Method/scan``.
    public var index: FieldIndex?
    /// The number of stored entities that were read.
    public var readCount: Int64

    package init(method: Method, index: FieldIndex?, readCount: Int64) {
        self.method = method
        self.index = index
        self.readCount = readCount
    }
}

/// The end of a selection.
public enum SelectionOutcome: Hashable, Sendable {
    case done(ReadPlan)
    /// The entity of ``EntitySelection/after`` is not visible, and has no place in an order other than the order of
    /// keys.
    case unknownPlace
}
