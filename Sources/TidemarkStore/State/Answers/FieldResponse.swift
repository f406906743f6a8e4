import TidemarkModel

/// The entities and root fields of a GraphQL response, ready to be stored as one unit.
package struct FieldResponse: Sendable {
    /// An entity, with only the fields present in the response.
    package struct Entity: Sendable {
        /// The entity's key.
        package var key: EntityKey
        /// The fields, as a compact JSON object.
        package var resource: [UInt8]

        /// Creates an entity of a response.
        package init(key: EntityKey, resource: [UInt8]) {
            self.key = key
            self.resource = resource
        }
    }

    /// A root field of the response. It becomes stale as a query does.
    package struct Root: Sendable {
        /// The name of the root field among the queries.
        package var name: RootName
        /// The types that the field's value refers to, each once.
        package var types: [ByteString]
        /// The field's list, if a rule maintains it; nil for a field without a rule.
        package var list: List?

        /// Creates a root field of a response.
        package init(name: RootName, types: [ByteString], list: List? = nil) {
            self.name = name
            self.types = types
            self.list = list
        }
    }

    /// A root field whose value is a list of one object type that a rule maintains.
    package struct List: Sendable {
        /// The rule.
        package var membership: Membership
        /// The rule as compact JSON.
        package var text: [UInt8]
        /// The listed entities, in the order of the response.
        package var elements: [EntityKey]

        /// Creates the list of a root field.
        package init(membership: Membership, text: [UInt8], elements: [EntityKey]) {
            self.membership = membership
            self.text = text
            self.elements = elements
        }
    }

    /// The library's name.
    package var library: ByteString
    /// The entities of the response, each once.
    package var entities: [Entity]
    /// The root fields of the response.
    package var roots: [Root]
    /// The position in the log at which the response is valid; nil if the server named none.
    package var asOf: EventSequence?
    /// What was known when the request began; nil if the response was not requested.
    package var start: FetchStart?
    /// The number of the fetch that was answered; nil if the response was not requested.
    package var fetch: UInt64?
    /// The layer whose mutation was answered. It settles in the same unit, with the layers that its request serves.
    package var settledLayer: ByteString?
    /// The real ids that the server assigned; each temporary id once.
    package var realIDs: [LayerConfirmation.RealID] = []
    /// True for the response to a mutation. It wins over responses to requests that were made before it arrived.
    package var isMutation = false

    /// Creates a response that is not one to a mutation.
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

    /// True if a program wrote the data by itself, instead of a server.
    var isLocal: Bool { fetch == nil && asOf == nil }

    var head: QueryResultHead {
        QueryResultHead(
            key: QueryKey(library: library, method: "Query", canonicalInput: "null"), timeToLive: nil, asOf: asOf,
            membership: nil, membershipText: [], tags: [], isLocal: false, start: start)
    }
}
