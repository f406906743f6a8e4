/// An entity of a ``ReferenceCache``.
package struct ReferenceCacheEntity: Equatable, Sendable {
    package var json: ReferenceJSON
    package var sequence: Int64?
    package var generation: Int
    /// Whether an answer wrote the entity, so that it contains the effect of the event at ``sequence``.
    package var isAnswer: Bool
    /// The last write of each field.
    var places: [[UInt8]: ReferenceFieldPlace] = [:]
}

/// The place in a log for which a field stands.
struct ReferenceFieldPlace: Equatable, Sendable {
    let sequence: Int64?
    let generation: Int
    let isAnswer: Bool

    /// Whether an event of the log comes too late to change the field.
    func isLater(than sequence: Int64, _ generation: Int) -> Bool {
        guard let own = self.sequence, self.generation == generation else { return false }
        return isAnswer ? sequence <= own : sequence < own
    }
}

/// A library of a ``ReferenceCache``.
package struct ReferenceCacheLibrary: Equatable, Sendable {
    package var cursor: Int64?
    package var generation = 0

    package init() {}
}

/// One write of an entity.
struct ReferenceWrite: Sendable {
    let key: ReferenceKey
    let sequence: Int64?
    let generation: Int
    /// Whether an answer to a query wrote the entity.
    let isAnswer: Bool
}

/// A fetch that has not been answered.
package struct ReferenceFetch: Equatable, Sendable {
    /// The number of writes before the fetch.
    let writeCount: Int
    /// The same for everything else that is remembered.
    let stalingCount: Int
    let clearCount: Int
    let answeredCount: Int
    /// The number of the question: later ones have higher numbers.
    let question: Int
    let cursor: Int64?
    let generation: Int
}

/// The identity of a query.
package struct ReferenceQueryName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let library: [UInt8]
    package let method: [UInt8]
    /// The query's input as canonical JSON.
    package let input: [UInt8]

    package init(library: [UInt8], method: [UInt8], input: [UInt8]) {
        self.library = library
        self.method = method
        self.input = input
    }

    package var description: String {
        [library, method, input].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    package static func < (left: ReferenceQueryName, right: ReferenceQueryName) -> Bool {
        for (left, right) in [(left.library, right.library), (left.method, right.method)] where left != right {
            return left.lexicographicallyPrecedes(right)
        }
        return left.input.lexicographicallyPrecedes(right.input)
    }
}

/// The answer of a server, or of a host, to a query.
package struct ReferenceAnswer: Sendable {
    package var type: [UInt8]
    package var resources: [ReferenceResource]
    package var included: [(type: [UInt8], resources: [ReferenceResource])] = []
    package var timeToLive: Int64?
    package var asOf: Int64?
    package var rule: ReferenceJSON?
    package var tags: ReferenceJSON?
    package var isLocal = false

    package init(type: [UInt8], resources: [ReferenceResource]) {
        self.type = type
        self.resources = resources
    }
}

/// The place up to which a list is known.
enum ReferenceHorizon: Sendable {
    /// The whole list is known.
    case whole
    /// Nothing is known but later writes.
    case nothing
    /// Everything is known up to and including an element with the value that it had.
    case element(id: [UInt8], json: ReferenceJSON)
}

/// A stored query.
package struct ReferenceQuery: Sendable {
    let number: Int
    package let type: [UInt8]
    package let rule: ReferenceMembership?
    let ruleJSON: ReferenceJSON?
    let tags: ReferenceJSON?
    package let isLocal: Bool
    let timeToLive: Int64?
    package let asOf: Int64?
    let storedAt: Int64
    /// The ids of the list: in the server's order without a rule, in no order with one. Unused for local queries.
    var members: [[UInt8]] = []
    var horizon = ReferenceHorizon.whole
    var isMarkedStale = false
    /// The number of the question that it answers; 0 after a restart.
    var question = 0
    /// The place that the answer stands for, in the log of ``generation``.
    var listedThrough: Int64?
    var generation = 0
}

/// A list as readers get it.
package struct ReferenceList: Equatable, Sendable {
    package var ids: [[UInt8]]
    package var resources: [[UInt8]]
    package var isStale: Bool
    /// Whether a listed entity is missing, so that the read is a miss.
    package var isPartial: Bool
    package var asOf: Int64?
    /// Whether a layer covers an element that is shown, or hides one that would be.
    package var isPending: Bool

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
