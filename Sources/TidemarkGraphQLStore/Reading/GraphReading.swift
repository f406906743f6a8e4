import TidemarkModel
import TidemarkStore

/// The data that one read of a document found.
package struct GraphReading: Sendable {
    /// `data` as compact JSON.
    package var data: [UInt8] = []
    /// The lists of entities in `data`, ascending by their place; empty unless entities are noted.
    package var lists: [EntityList] = []
    /// Whether some value that was read is older than its limit allows, or its root field is stale.
    package var isStale = false
    /// A layer changes something that was read.
    package var isPending = false
    /// The least of the places known; nil when none is.
    package var asOf: EventSequence?
    /// Whether the data lacks a field that the document asks for.
    package var isPartial = false
    package var deferred: [DeferredState] = []
    /// The entities that were looked up, with the fields that were wanted, once for each place.
    package var visits: [EntityVisit] = []
    /// The entities that were lent, when entities are not noted; they are not in `visits` then. Valid until the store
    /// is next changed.
    package var lentSlots: [SlotIndex] = []
    /// The places of the entities in the data; nil unless the places were asked for.
    package var places: EntityPlaces?
    /// The time when the first value that was read becomes too old, in milliseconds since 1970; nil: never.
    package var expiresAt: Int64?

    package init() {}
}

/// A list in `data` whose elements are entities, or null.
package struct EntityList: Hashable, Sendable {
    /// The offset of its bracket in `data`.
    package var offset: Int
    /// The entities of its elements; nil for an element that is none.
    package var keys: [GraphKey?]

    package init(offset: Int, keys: [GraphKey?]) {
        self.offset = offset
        self.keys = keys
    }
}

/// A part of an entity that a read wanted.
package struct EntityVisit: Sendable {
    package let key: GraphKey
    /// The number of the fields in the plan; see ``OperationPlan/storageNames(of:)``. The collection of a root field is
    /// ``OperationPlan/rootVisit``.
    package let collection: Int
}

/// One field of one entity: what a watcher depends on.
package struct FieldDependency: Hashable, Sendable {
    package let key: GraphKey
    package let storageName: ByteString

    package init(key: GraphKey, storageName: ByteString) {
        self.key = key
        self.storageName = storageName
    }
}

/// The state of a deferred fragment in one object.
package struct DeferredState: Hashable, Sendable {
    /// The raw value is the word in `state`.
    package enum State: String, Hashable, Sendable, CaseIterable {
        case pending
        case notExecuted = "not_executed"
        case fulfilled
        case failed
    }

    package var path: ResponsePath
    package var label: ByteString?
    package var state: State

    package init(path: ResponsePath, label: ByteString?, state: State) {
        self.path = path
        self.label = label
        self.state = state
    }
}

extension OperationPlan {
    /// Returns the states of the deferred fragments of one object.
    ///
    /// - Parameter missing: The fragments of which a field is missing.
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
package enum GraphReadOutcome: Sendable {
    case read(GraphReading)
    /// The visits are those that were made until the miss.
    case missed(GraphMiss, visits: [EntityVisit])
    /// Entities that have to be loaded first.
    case unloaded([GraphKey])
}

/// Additions to a read.
package struct GraphReadOptions: Sendable {
    /// Whether each entity shows its key as `__ref`, so that the data can be written again.
    package var showsKeys = false
    /// Whether the places of entities in the data are noted.
    package var notesPlaces = false
    /// Whether visits and lists of entities are noted. Without a watcher nobody asks for them.
    package var notesEntities = true

    package init(showsKeys: Bool = false, notesPlaces: Bool = false, notesEntities: Bool = true) {
        self.showsKeys = showsKeys
        self.notesPlaces = notesPlaces
        self.notesEntities = notesEntities || notesPlaces
    }
}

/// The age that values may have in a read.
package struct GraphFreshness: Sendable {
    /// Milliseconds since 1970.
    package var now: Int64
    /// Whether stale data is served, however old it is.
    package var allowsStale = false
    /// The time past its limit up to which stale data is served, in milliseconds.
    package var maxStale: Int64?
    /// Ages are not looked at: what was just fetched is never too old.
    package var ignoresAges = false

    package init(now: Int64, allowsStale: Bool = false, maxStale: Int64? = nil, ignoresAges: Bool = false) {
        self.now = now
        self.allowsStale = allowsStale
        self.maxStale = maxStale
        self.ignoresAges = ignoresAges
    }

    /// Tells whether a reader takes what has been stale since a moment.
    func takes(_ overdue: Int64) -> Bool {
        if let maxStale { return overdue <= maxStale }
        return allowsStale
    }
}

/// The treatment of missing fields by a read.
package enum GraphCompleteness: Sendable {
    /// A missing value makes the read a miss, also in a deferred fragment.
    case whole
    /// A deferred fragment may lack fields: its state is `pending`, and its fields are left out.
    case deferred
    /// Missing fields are left out.
    case partial
}
