import Tidemark
import TidemarkModel
import TidemarkStore

/// Which entities of one type a reader is asked for, and in which order.
///
/// - Source: Protocol/indexes.md.
public struct EntitySelection: Sendable {
    /// Only this library; nil: all of them, one after the other in the order of their ids.
    public var library: ByteString?
    /// Begin behind this entity, at the place that it has now.
    public var after: EntityKey?
    /// Entities at most.
    public var countMax: Int
    /// `where` and `order`; a limit of its own is not looked at.
    package var rule: Membership

    package init(rule: Membership, library: ByteString? = nil, after: EntityKey? = nil, countMax: Int = .max) {
        self.rule = rule
        self.library = library
        self.after = after
        self.countMax = countMax
    }
}

/// How entities were found, for people who wonder why it took so long.
public struct ReadPlan: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable {
        /// Every entity of the type was read.
        case scan
        /// An index was walked in its order, up to the last entity that was wanted.
        case walk
        /// All entities that an index names were read, and then put in order.
        case range
    }

    public var method: Method
    /// nil for ``Method/scan``.
    public var index: FieldIndex?
    /// Stored entities that were read and looked at.
    public var readCount: Int64

    package init(method: Method, index: FieldIndex?, readCount: Int64) {
        self.method = method
        self.index = index
        self.readCount = readCount
    }
}

/// How a selection ended.
public enum SelectionOutcome: Hashable, Sendable {
    case done(ReadPlan)
    /// An order other than the keys' has no place for an entity that is not there.
    case unknownPlace
}
