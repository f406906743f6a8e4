import Tidemark
import TidemarkModel
import TidemarkStore

/// Which entities of one type to read, and in which order.
///
/// - Source: Protocol/indexes.md.
public struct EntitySelection: Sendable {
    /// The only library to read; nil for all libraries, one after another in the order of their ids.
    public var library: ByteString?
    /// The entity after which to begin, at its current position in the order; nil to begin with the first.
    public var after: EntityKey?
    /// The most entities to read.
    public var countMax: Int
    /// The rule whose `where` and `order` apply. Its own limit is ignored.
    package var rule: Membership

    /// Creates a selection.
    package init(rule: Membership, library: ByteString? = nil, after: EntityKey? = nil, countMax: Int = .max) {
        self.rule = rule
        self.library = library
        self.after = after
        self.countMax = countMax
    }
}

/// How a selection was read, to explain how long it took.
public struct ReadPlan: Hashable, Sendable {
    /// The source of the entities that were read.
    public enum Method: String, Hashable, Sendable {
        /// Every entity of the type was read.
        case scan
        /// An index was read in its order, up to the last entity needed.
        case walk
        /// All entities in some ranges of an index were read, then sorted.
        case range
    }

    /// The source of the entities that were read.
    public var method: Method
    /// The index that was used; nil for ``Method/scan``.
    public var index: FieldIndex?
    /// The number of stored entities that were read.
    public var readCount: Int64

    /// Creates a plan.
    package init(method: Method, index: FieldIndex?, readCount: Int64) {
        self.method = method
        self.index = index
        self.readCount = readCount
    }
}

/// How a selection ended.
public enum SelectionOutcome: Hashable, Sendable {
    /// The selection was read to its end, to its limit, or until the visitor stopped it.
    case done(ReadPlan)
    /// The entity of ``EntitySelection/after`` is not visible, so it has no position in an order other than that of
    /// keys.
    case unknownPlace
}
