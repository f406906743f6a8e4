import TidemarkModel
import TidemarkStore

/// The result of looking up one entity.
package enum EntityLook {
    case found(EntityView)
    case missing(GraphMiss.Reason)
    /// The entity may be on the disk: it is loaded, and the read runs again.
    case unloaded
}

/// The bytes of a resource.
enum ResourceBytes {
    case kept([UInt8])
    /// Bytes where they are stored: valid during the read, which changes nothing.
    case lent(UnsafeRawBufferPointer)

    /// Lends the bytes to a function that throws errors of its own type.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .kept(let bytes): try bytes.withBytes(body)
        case .lent(let bytes): try body(bytes)
        }
    }
}

/// One entity as readers see it.
package struct EntityView {
    /// The resource as compact JSON.
    var resource: ResourceBytes
    package var dates: FieldTimes
    /// Whether some layer has a change for the entity.
    package var isPending: Bool
    /// Whether fields of the entity were evicted: an absent field then counts as evicted.
    package var isReduced: Bool

    package init(
        resource: [UInt8], dates: FieldTimes, isPending: Bool = false, isReduced: Bool = false
    ) {
        self.resource = .kept(resource)
        self.dates = dates
        self.isPending = isPending
        self.isReduced = isReduced
    }

    @inline(__always)
    init(_ lent: LentEntity) {
        resource = .lent(lent.resource)
        isPending = false
        if let stamps = lent.stamps {
            dates = FieldTimes(stamps)
            isReduced = !stamps.completeness.isEvaluable
        } else {
            dates = FieldTimes(rest: FieldTimes.Write(writtenAt: lent.writtenAt, sequence: lent.sequence))
            isReduced = false
        }
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

    /// The forms in which writes of single fields come.
    private enum Named {
        case none
        case writes([ByteString: Write])
        /// The same as the store keeps them.
        case stamps([ByteString: EntityStamp])
    }

    /// The write of every field that is not named.
    package var rest: Write
    /// The writes of single fields, by path; see ``FieldPath``.
    private var named: Named

    package init(rest: Write, named: [ByteString: Write] = [:]) {
        self.rest = rest
        self.named = named.isEmpty ? .none : .writes(named)
    }

    init(_ stamps: FieldStamps) {
        rest = Write(writtenAt: stamps.rest.writtenAt, sequence: stamps.rest.sequence)
        named = stamps.named.isEmpty ? .none : .stamps(stamps.named)
    }

    /// Whether all fields were written at once.
    var areOne: Bool {
        if case .none = named { true } else { false }
    }

    /// Returns the write of a field that is named; nil for every other path.
    subscript(path: ByteString) -> Write? {
        switch named {
        case .none: nil
        case .writes(let writes): writes[path]
        case .stamps(let stamps): stamps[path].map { Write(writtenAt: $0.writtenAt, sequence: $0.sequence) }
        }
    }

    /// The sequences that the fields stand for.
    ///
    /// - Complexity: O(named fields).
    var sequences: FieldSequences {
        let others: Bool
        switch named {
        case .none: return .one(rest.sequence)
        case .writes(let writes): others = writes.values.contains { $0.sequence != rest.sequence }
        case .stamps(let stamps): others = stamps.values.contains { $0.sequence != rest.sequence }
        }
        return others ? .byField : .one(rest.sequence)
    }
}

/// The sequences that the fields of one entity stand for.
enum FieldSequences {
    /// All fields have this one; nil: none has any.
    case one(EventSequence?)
    /// Each field has its own.
    case byField
}

/// A source in which entities are looked up.
package protocol EntitySource {
    func look(_ key: GraphKey) -> EntityLook
    /// Returns the number by which entities of a type are lent; nil when none is.
    func typeNumber(of type: ByteString) -> TypeIndex?
    /// Lends an entity where it is stored.
    ///
    /// - Parameter id: The id in any spelling.
    /// - Returns: nil for an entity that has to be looked up, because it is not in memory or not as it is stored.
    func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity?
    /// Returns when a root field became stale, in milliseconds since 1970; nil while it is fresh.
    func staleSince(_ root: GraphRootName) -> Int64?
    /// Returns the entities of a root field that is a list under a rule; nil for any other field.
    func list(_ root: GraphRootName) -> [GraphKey]?
}

/// A source that lends nothing.
extension EntitySource {
    package func typeNumber(of type: ByteString) -> TypeIndex? { nil }
    package func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity? { nil }
}
