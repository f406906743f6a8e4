/// An entity of a ``ReferenceCache``.
package struct ReferenceCacheEntity: Equatable, Sendable {
    /// The resource.
    package var json: ReferenceJSON
    /// The log position of the last write; nil if it had none.
    package var sequence: Int64?
    /// The generation of the log in which ``sequence`` counts.
    package var generation: Int
    /// True if a result wrote the entity, so that it includes the event at ``sequence``.
    package var isAnswer: Bool
    /// The last write of each field.
    var places: [[UInt8]: ReferenceFieldPlace] = [:]
}

/// The log position that a field's value counts for.
struct ReferenceFieldPlace: Equatable, Sendable {
    let sequence: Int64?
    let generation: Int
    let isAnswer: Bool

    /// True if an event of the log is too old to change the field.
    func isLater(than sequence: Int64, _ generation: Int) -> Bool {
        guard let own = self.sequence, self.generation == generation else { return false }
        return isAnswer ? sequence <= own : sequence < own
    }
}

/// A library of a ``ReferenceCache``.
package struct ReferenceCacheLibrary: Equatable, Sendable {
    /// The cursor; nil before the first sequence.
    package var cursor: Int64?
    /// How often the log began anew.
    package var generation = 0

    /// Creates a library without a log.
    package init() {}
}

/// A write of an entity.
struct ReferenceWrite: Sendable {
    let key: ReferenceKey
    let sequence: Int64?
    let generation: Int
    /// True if the result of a query wrote the entity.
    let isAnswer: Bool
}

/// A fetch in progress.
package struct ReferenceFetch: Equatable, Sendable {
    /// How many writes there were before the fetch.
    let writeCount: Int
    /// How many causes, clears and written fields there were before the fetch.
    let stalingCount: Int
    let clearCount: Int
    let answeredCount: Int
    /// The number of the question; later ones have higher numbers.
    let question: Int
    let cursor: Int64?
    let generation: Int
}

/// The identity of a query.
package struct ReferenceQueryName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The library of the query.
    package let library: [UInt8]
    /// The method of the query.
    package let method: [UInt8]
    /// The input as canonical JSON.
    package let input: [UInt8]

    /// Creates the identity of a query.
    package init(library: [UInt8], method: [UInt8], input: [UInt8]) {
        self.library = library
        self.method = method
        self.input = input
    }

    /// The parts of the identity, separated by spaces.
    package var description: String {
        [library, method, input].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// Compares library, method and input, by bytes.
    package static func < (left: ReferenceQueryName, right: ReferenceQueryName) -> Bool {
        for (left, right) in [(left.library, right.library), (left.method, right.method)] where left != right {
            return left.lexicographicallyPrecedes(right)
        }
        return left.input.lexicographicallyPrecedes(right.input)
    }
}

/// The result of a query, from a server or a host.
package struct ReferenceAnswer: Sendable {
    /// The type of the elements.
    package var type: [UInt8]
    /// The elements in order.
    package var resources: [ReferenceResource]
    /// Further entities that the result includes, by type.
    package var included: [(type: [UInt8], resources: [ReferenceResource])] = []
    /// How long the result stays fresh, in milliseconds; nil for no limit.
    package var timeToLive: Int64?
    /// The log position of the result; nil if it names none.
    package var asOf: Int64?
    /// The membership rule; nil for none.
    package var rule: ReferenceJSON?
    /// The tags; nil for none.
    package var tags: ReferenceJSON?
    /// True for a list that is evaluated over the cache's entities.
    package var isLocal = false

    /// Creates a result without a rule.
    package init(type: [UInt8], resources: [ReferenceResource]) {
        self.type = type
        self.resources = resources
    }
}

/// The part of a list's order that the cache knows.
enum ReferenceHorizon: Sendable {
    /// The whole list is known.
    case whole
    /// Only later writes are known.
    case nothing
    /// The list is known up to and including an element, with the value that it had then.
    case element(id: [UInt8], json: ReferenceJSON)
}

/// A stored query.
package struct ReferenceQuery: Sendable {
    let number: Int
    /// The type of the elements.
    package let type: [UInt8]
    /// The membership rule; nil for none.
    package let rule: ReferenceMembership?
    let ruleJSON: ReferenceJSON?
    let tags: ReferenceJSON?
    /// True if the list is evaluated over the cache's entities.
    package let isLocal: Bool
    let timeToLive: Int64?
    /// The log position of the result; nil if it named none.
    package let asOf: Int64?
    let storedAt: Int64
    /// The ids of the list: without a rule in the server's order, with one in no order. Unused for local queries.
    var members: [[UInt8]] = []
    var horizon = ReferenceHorizon.whole
    var isMarkedStale = false
    /// The number of the question that the list answers; 0 after a restart.
    var question = 0
    /// The log position that the result counts for, in the log of ``generation``.
    var listedThrough: Int64?
    var generation = 0
}

/// A list as readers get it.
package struct ReferenceList: Equatable, Sendable {
    /// The ids of the elements, in order.
    package var ids: [[UInt8]]
    /// The visible resources of the elements, in order.
    package var resources: [[UInt8]]
    /// True if the list is stale.
    package var isStale: Bool
    /// True if an element's entity is missing, so that the read is a miss.
    package var isPartial: Bool
    /// The log position of the list; nil if it has none.
    package var asOf: Int64?
    /// True if a layer covers an element, or hides one that would be shown.
    package var isPending: Bool

    /// Creates a list.
    package init(
        ids: [[UInt8]], resources: [[UInt8]], isStale: Bool, isPartial: Bool, asOf: Int64?, isPending: Bool = false
    ) {
        self.ids = ids
        self.resources = resources
        self.isStale = isStale
        self.isPartial = isPartial
        self.asOf = asOf
        self.isPending = isPending
    }
}
