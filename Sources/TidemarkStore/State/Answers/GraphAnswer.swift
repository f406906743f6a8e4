import TidemarkModel

/// The entities of an answer of GraphQL, ready to be stored as one unit.
package struct GraphAnswer: Sendable {
    /// One entity with the fields that the answer has of it.
    package struct Entity: Sendable {
        package var key: EntityKey
        /// A compact JSON object.
        package var resource: [UInt8]

        package init(key: EntityKey, resource: [UInt8]) {
            self.key = key
            self.resource = resource
        }
    }

    /// A root field, which becomes stale as a query does.
    package struct Root: Sendable {
        package var name: GraphRootName
        /// The types that its value refers to, each once.
        package var types: [ByteString]
        /// The list that grows by a rule; nil for a field without one.
        package var list: List?

        package init(name: GraphRootName, types: [ByteString], list: List? = nil) {
            self.name = name
            self.types = types
            self.list = list
        }
    }

    /// A root field that is a list of one object type under a rule.
    package struct List: Sendable {
        package var membership: Membership
        /// The rule as compact JSON.
        package var text: [UInt8]
        /// The entities that the answer listed, in its order.
        package var elements: [EntityKey]

        package init(membership: Membership, text: [UInt8], elements: [EntityKey]) {
            self.membership = membership
            self.text = text
            self.elements = elements
        }
    }

    package var library: ByteString
    package var entities: [Entity]
    package var roots: [Root]
    package var asOf: EventSequence?
    /// The position when the fetch began; nil when the answer was not requested.
    package var start: FetchStart?
    /// The number of the fetch that it answers; nil when it was not requested.
    package var fetch: UInt64?
    /// The layer whose mutation the answer settles, with those that were sent with it; they go in the same unit.
    package var settledLayer: ByteString?
    /// The real ids that the mutation gave, each temporary id once.
    package var realIDs: [LayerConfirmation.RealID] = []
    /// Whether it is the answer to a mutation: it wins over answers to questions that were asked before it came.
    package var isMutation = false

    package init(
        library: ByteString, entities: [Entity], roots: [Root], asOf: EventSequence? = nil, start: FetchStart? = nil,
        settledLayer: ByteString? = nil
    ) {
        self.library = library
        self.entities = entities
        self.roots = roots
        self.asOf = asOf
        self.start = start
        self.settledLayer = settledLayer
    }

    /// Whether a program wrote it by itself.
    var isLocal: Bool { fetch == nil && asOf == nil }

    var head: AnswerHead {
        AnswerHead(
            key: QueryKey(library: library, method: "Query", canonicalInput: "null"), timeToLive: nil, asOf: asOf,
            membership: nil, membershipText: [], tags: [], isLocal: false, start: start)
    }
}

/// The name of a root field among the queries, under which it becomes stale.
package struct GraphRootName: Hashable, Sendable {
    /// `Query.` and the field.
    package let method: ByteString
    /// The arguments as canonical JSON.
    package let input: ByteString

    package init(method: ByteString, input: ByteString) {
        self.method = method
        self.input = input
    }

    /// - Parameter storageName: The field's storage name: the field, and its arguments in brackets.
    package init(storageName: ByteString) {
        let bytes = storageName.bytes
        let end = bytes.firstIndex(of: UInt8(ascii: "(")) ?? bytes.count
        method = ByteString(Array("Query.".utf8) + bytes[..<end])
        input = end < bytes.count ? ByteString(bytes[(end + 1)...].dropLast()) : "{}"
    }

    /// The key of the query that stands for the root field, or for one more type that it refers to.
    func key(in library: ByteString, type: ByteString? = nil) -> QueryKey {
        let method = type.map { ByteString(self.method.bytes + [UInt8(ascii: ":")] + $0.bytes) } ?? self.method
        return QueryKey(library: library, method: method, canonicalInput: input)
    }
}
