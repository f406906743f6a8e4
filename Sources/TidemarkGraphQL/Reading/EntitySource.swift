import TidemarkModel
import TidemarkStore

/// The result of looking up one entity.
package enum SourceLook {
    /// The entity is in memory.
    case found(EntityView)
    /// There is no such entity, for a reason.
    case missing(DocumentMiss.Reason)
    /// The entity may be on the disk. It has to be loaded, and the read runs again.
    case unloaded
}

/// The bytes of a resource.
enum ResourceBytes {
    /// A copy.
    case kept([UInt8])
    /// The bytes in their place in the store. Valid during the read, which changes nothing.
    case lent(UnsafeRawBufferPointer)

    /// Calls `body` with the bytes. `body` may throw errors of its own type.
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

/// An entity in the form that readers see.
package struct EntityView {
    /// The resource as compact JSON.
    var resource: ResourceBytes
    /// When its fields were written.
    package var dates: FieldTimes
    /// True if a layer changes the entity.
    package var isPending: Bool
    /// True if fields of the entity were evicted. An absent field then counts as evicted.
    package var isReduced: Bool

    /// Creates a view of a resource.
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

/// When the fields of an entity were written, and their positions in the log.
package struct FieldTimes: Sendable {
    /// One write.
    package struct Write: Hashable, Sendable {
        /// The time of the write, in milliseconds since 1970.
        package var writtenAt: Int64
        /// The position in the log; nil if the write has none.
        package var sequence: EventSequence?

        /// Creates a write.
        package init(writtenAt: Int64, sequence: EventSequence? = nil) {
            self.writtenAt = writtenAt
            self.sequence = sequence
        }
    }

    /// The writes of single fields in one of their forms.
    private enum Named {
        case none
        case writes([ByteString: Write])
        /// The writes in the form of the store.
        case stamps([ByteString: EntityStamp])
    }

    /// The write of every field that is not named.
    package var rest: Write
    /// The writes of single fields, by path; see ``StoragePath``.
    private var named: Named

    /// Creates the dates of an entity.
    package init(rest: Write, named: [ByteString: Write] = [:]) {
        self.rest = rest
        self.named = named.isEmpty ? .none : .writes(named)
    }

    init(_ stamps: FieldStamps) {
        rest = Write(writtenAt: stamps.rest.writtenAt, sequence: stamps.rest.sequence)
        named = stamps.named.isEmpty ? .none : .stamps(stamps.named)
    }

    /// True if all fields were written at once.
    var areOne: Bool {
        if case .none = named { true } else { false }
    }

    /// The write of a named field; nil for every other path.
    subscript(path: ByteString) -> Write? {
        switch named {
        case .none: nil
        case .writes(let writes): writes[path]
        case .stamps(let stamps): stamps[path].map { Write(writtenAt: $0.writtenAt, sequence: $0.sequence) }
        }
    }

    /// The sequences of the fields.
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

/// The sequences of the fields of one entity.
enum FieldSequences {
    /// All fields have this one; nil if none has any.
    case one(EventSequence?)
    /// The fields have different ones.
    case byField
}

/// A source in which entities are looked up.
package protocol EntitySource: ~Escapable {
    /// Looks up an entity.
    func look(_ key: GraphQLKey) -> SourceLook
    /// Returns the number by which entities of a type are lent; nil if none are.
    func typeNumber(of type: ByteString) -> TypeIndex?
    /// Returns an entity in its place in the store, without a copy.
    ///
    /// - Parameter id: The id in any spelling.
    /// - Returns: nil if the entity has to be looked up, because it is not in memory, or differs from what is stored.
    func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity?
    /// Returns when a root field became stale, in milliseconds since 1970; nil while it is fresh.
    func staleSince(_ root: RootName) -> Int64?
    /// Returns the entities of a root field whose list is maintained by a rule; nil for any other field.
    func list(_ root: RootName) -> [GraphQLKey]?
}

/// By default a source lends no entities.
extension EntitySource where Self: ~Escapable {
    /// Returns nil: the source lends no entities.
    package func typeNumber(of type: ByteString) -> TypeIndex? { nil }
    /// Returns nil: the source lends no entities.
    package func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity? { nil }
}
