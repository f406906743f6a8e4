import TidemarkModel
import TidemarkStore

/// The data of one read of a document, and what the read recorded.
package struct GraphQLReading: Sendable {
    /// `data` as compact JSON.
    package var data: [UInt8] = []
    /// The lists of entities in `data`, ordered by offset; empty unless entities are recorded.
    package var lists: [EntityList] = []
    /// True if a value is older than its limit allows, or a root field is stale.
    package var isStale = false
    /// True if a layer changes something that was read.
    package var isPending = false
    /// The lowest known sequence; nil if none is known.
    package var asOf: EventSequence?
    /// True if the data lacks a field that the document selects.
    package var isPartial = false
    /// The states of the deferred fragments, in the order of the data.
    package var deferred: [DeferredState] = []
    /// The entities that were looked up, with the fields that were read, once for each place.
    package var visits: [EntityVisit] = []
    /// The entities that were lent, if entities are not recorded; `visits` does not include them. Valid until the store
    /// is changed.
    package var lentSlots: [SlotIndex] = []
    /// Where the entities are in the data; nil unless places are recorded.
    package var places: EntityPlaces?
    /// When the first value becomes too old, in milliseconds since 1970; nil if none does.
    package var expiresAt: Int64?

    /// Creates the result of a read that found nothing yet.
    package init() {}
}

/// A list in `data` with elements that are entities or null.
package struct EntityList: Hashable, Sendable {
    /// The offset of its opening bracket in `data`.
    package var offset: Int
    /// The entities of its elements; nil for an element that is not an entity.
    package var keys: [GraphQLKey?]

    /// Creates a list.
    package init(offset: Int, keys: [GraphQLKey?]) {
        self.offset = offset
        self.keys = keys
    }
}

/// An entity that a read looked up, and which of its fields it needed.
package struct EntityVisit: Sendable {
    /// The key of the entity.
    package let key: GraphQLKey
    /// The number of the fields in the plan; see ``OperationPlan/storageNames(of:)``. For a root field it is
    /// ``OperationPlan/rootVisit``.
    package let collection: Int
}

/// A field of an entity on which a watcher depends.
package struct FieldDependency: Hashable, Sendable {
    /// The key of the entity.
    package let key: GraphQLKey
    /// The storage name of the field.
    package let storageName: ByteString

    /// Creates a dependency.
    package init(key: GraphQLKey, storageName: ByteString) {
        self.key = key
        self.storageName = storageName
    }
}

/// The state of a deferred fragment in one object.
package struct DeferredState: Hashable, Sendable {
    /// How far the fragment has been delivered. The raw value is the word in `state`.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Fields of the fragment are missing.
        case pending
        /// The type condition of the fragment does not hold.
        case notExecuted = "not_executed"
        /// All fields of the fragment are present.
        case fulfilled
        /// The server could not deliver the fragment.
        case failed
    }

    /// The path of the object.
    package var path: ResponsePath
    /// The label of the `@defer` directive; nil if it has none.
    package var label: ByteString?
    /// How far the fragment has been delivered.
    package var state: State

    /// Creates the state of a fragment.
    package init(path: ResponsePath, label: ByteString?, state: State) {
        self.path = path
        self.label = label
        self.state = state
    }
}

extension OperationPlan {
    /// Returns the states of the deferred fragments of one object.
    ///
    /// - Parameter missing: The fragments that lack a field.
    func states(of collection: Collection, missing: Set<Int>, at path: ResponsePath) -> [DeferredState] {
        collection.deferrals.map { deferral in
            DeferredState(
                path: path, label: deferrals[deferral].label, state: missing.contains(deferral) ? .pending : .fulfilled)
        }
            + collection.notExecuted.map { deferral in
                DeferredState(path: path, label: deferrals[deferral].label, state: .notExecuted)
            }
    }
}

/// The outcome of one run of a reader.
package enum GraphQLReadOutcome: Sendable {
    /// The data.
    case read(GraphQLReading)
    /// The first thing that is missing, and the entities looked up before.
    case missed(DocumentMiss, visits: [EntityVisit])
    /// The entities that have to be loaded first.
    case unloaded([GraphQLKey])
}

/// What a read records besides the data.
package struct GraphQLReadOptions: Sendable {
    /// If true, each entity shows its key as `__ref`, so that the data can be written again.
    package var showsKeys = false
    /// If true, the places of entities in the data are recorded.
    package var notesPlaces = false
    /// If true, visits and lists of entities are recorded. Only watchers need them.
    package var notesEntities = true

    /// Creates options. Recording places includes recording entities.
    package init(showsKeys: Bool = false, notesPlaces: Bool = false, notesEntities: Bool = true) {
        self.showsKeys = showsKeys
        self.notesPlaces = notesPlaces
        self.notesEntities = notesEntities || notesPlaces
    }
}

/// Which ages a read accepts.
package struct GraphQLFreshness: Sendable {
    /// The current time in milliseconds since 1970.
    package var now: Int64
    /// If true, stale data of any age is accepted, unless ``maxStale`` sets a bound.
    package var allowsStale = false
    /// How long past its limit data is accepted, in milliseconds; if nil, ``allowsStale`` decides.
    package var maxStale: Int64?
    /// If true, ages are not checked, because data that was just fetched is never too old.
    package var ignoresAges = false

    /// Creates the demands of a read; by default only fresh data is accepted.
    package init(now: Int64, allowsStale: Bool = false, maxStale: Int64? = nil, ignoresAges: Bool = false) {
        self.now = now
        self.allowsStale = allowsStale
        self.maxStale = maxStale
        self.ignoresAges = ignoresAges
    }

    /// True if data is accepted that became stale this many milliseconds ago.
    func takes(_ overdue: Int64) -> Bool {
        if let maxStale { return overdue <= maxStale }
        return allowsStale
    }
}

/// How a read handles missing fields.
package enum GraphQLCompleteness: Sendable {
    /// Any missing field makes the read a miss, even in a deferred fragment.
    case whole
    /// A deferred fragment may lack fields: it is `pending`, and its fields are left out.
    case deferred
    /// Missing fields are left out.
    case partial
}
