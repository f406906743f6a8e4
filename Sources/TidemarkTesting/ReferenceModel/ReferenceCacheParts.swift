/// An entity of a ``ReferenceCache``.
package struct ReferenceCacheEntity: Equatable, Sendable {
    package var json: ReferenceJSON
    package var sequence: Int64?
    package var generation: Int
    /// An answer wrote it, so that the effect of the event at ``sequence`` is in it.
    package var isAnswer: Bool
}

/// A library of a ``ReferenceCache``.
package struct ReferenceCacheLibrary: Equatable, Sendable {
    package var cursor: Int64?
    package var generation = 0

    package init() {}
}

/// One write by an event or a transaction.
struct ReferenceWrite: Sendable {
    let key: ReferenceKey
    let sequence: Int64?
    let generation: Int
    /// An answer to a query wrote it.
    let isAnswer: Bool
}

/// A question that is on its way.
package struct ReferenceFetch: Equatable, Sendable {
    /// Writes before it.
    let writeCount: Int
    let cursor: Int64?
    let generation: Int
}

/// The identity of a query.
package struct ReferenceQueryName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let library: [UInt8]
    package let method: [UInt8]
    /// Canonical JSON.
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

/// What a server, or a host, says of a query.
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

/// Up to where a list is known.
enum ReferenceHorizon: Sendable {
    /// All of it.
    case whole
    /// Nothing that was not written since.
    case nothing
    /// Everything up to an element as it was, that one included.
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
    /// Without a rule in the server's order; with one in none. Unused for local queries.
    var members: [[UInt8]] = []
    var horizon = ReferenceHorizon.whole
    var isMarkedStale = false
}

/// What a reader gets.
package struct ReferenceList: Equatable, Sendable {
    package var ids: [[UInt8]]
    package var resources: [[UInt8]]
    package var isStale: Bool
    /// A listed entity is missing: the read is a miss.
    package var isPartial: Bool
    package var asOf: Int64?
    /// A layer covers an element that is shown, or hides one that would be.
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
