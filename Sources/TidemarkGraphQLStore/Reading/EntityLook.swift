import TidemarkModel
import TidemarkStore

/// The result of looking up one entity.
package enum EntityLook: Sendable {
    case found(EntityView)
    case missing(GraphMiss.Reason)
    /// The entity may be on the disk: it is loaded, and the read runs again.
    case unloaded
}

/// One entity as readers see it.
package struct EntityView: Sendable {
    /// The resource as compact JSON.
    package var resource: [UInt8]
    package var dates: FieldTimes
    /// Whether some layer has a change for the entity.
    package var isPending: Bool
    /// Whether fields of the entity were evicted: an absent field then counts as evicted.
    package var isReduced: Bool

    package init(
        resource: [UInt8], dates: FieldTimes, isPending: Bool = false, isReduced: Bool = false
    ) {
        self.resource = resource
        self.dates = dates
        self.isPending = isPending
        self.isReduced = isReduced
    }
}

/// The times when the fields of an entity were written, and the places in the log that they stand for.
package struct FieldTimes: Sendable {
    /// One write.
    package struct Write: Hashable, Sendable {
        /// Milliseconds since 1970.
        package var writtenAt: Int64
        package var sequence: EventSequence?

        package init(writtenAt: Int64, sequence: EventSequence? = nil) {
            self.writtenAt = writtenAt
            self.sequence = sequence
        }
    }

    /// The write of every field that is not named.
    package var rest: Write
    /// Writes of single fields, by path; see ``FieldPath``.
    package var named: [ByteString: Write]

    package init(rest: Write, named: [ByteString: Write] = [:]) {
        self.rest = rest
        self.named = named
    }
}

/// A source in which entities are looked up.
package protocol EntitySource {
    func look(_ key: GraphKey) -> EntityLook
    /// Returns when a root field became stale, in milliseconds since 1970; nil while it is fresh.
    func staleSince(_ root: GraphRootName) -> Int64?
    /// Returns the entities of a root field that is a list under a rule; nil for any other field.
    func list(_ root: GraphRootName) -> [GraphKey]?
}
