import TidemarkModel

/// The entities of a response, each once.
package struct NormalizedResponse: Sendable {
    /// An entity, with only the fields present in the response.
    package struct Entity: Sendable {
        /// The key of the entity.
        package let key: GraphQLKey
        /// The fields of the entity.
        package var object: StoredObject

        /// The fields as a resource in compact JSON.
        ///
        /// - Complexity: O(bytes).
        package var resource: [UInt8] {
            var bytes: [UInt8] = []
            object.appendResource(to: &bytes)
            return bytes
        }
    }

    /// A root field of a query.
    package struct RootField: Sendable {
        /// The key of the root field's entity.
        package let key: GraphQLKey
        /// The storage name of the field.
        package let storageName: ByteString
        /// The types that the field's value refers to, each once, sorted.
        package let types: [ByteString]
        /// The rule of a maintained list, and the entities that the response listed; nil for any other field.
        let list: (rule: MembershipRule, elements: [GraphQLKey])?
    }

    /// The entities in the order in which the response names them, with root fields at the position of their field.
    package internal(set) var entities: [Entity] = []
    /// The stored root fields; empty for mutations and subscriptions.
    package internal(set) var roots: [RootField] = []
    /// The entities by their paths in the response; empty unless ``ResponseNormalizer/Options/notesPlaces`` is set.
    package internal(set) var keysByPath: [ResponsePath: GraphQLKey] = [:]
    private var places: [GraphQLKey: Int] = [:]

    init() {}

    /// The entity with a key; nil if the response does not have it.
    ///
    /// - Complexity: O(1).
    package subscript(key: GraphQLKey) -> Entity? { places[key].map { entities[$0] } }

    /// Adds the fields of an entity that one place of the response has.
    mutating func add(_ object: StoredObject, to key: GraphQLKey) {
        if let place = places[key] {
            entities[place].object.merge(object)
        } else {
            places[key] = entities.count
            entities.append(Entity(key: key, object: object))
        }
    }
}

/// Why a response does not fit its document. Nothing of such a response is stored.
package struct ResponseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of faults. Their raw values are for tools and tests.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are not JSON, or nest too deeply.
        case notJSON = "not_json"
        /// The JSON is not a GraphQL response.
        case notGraphQL = "not_graphql"
        /// The value has another kind than the selection or the schema requires.
        case wrongShape = "wrong_shape"
        /// A selected field is missing.
        case missingField = "missing_field"
        /// The schema does not have the object's type.
        case unknownType = "unknown_type"
    }

    /// The kind of the fault.
    package var code: Code
    /// The path in `data`.
    package var path: ResponsePath
    /// A sentence without the path.
    package var message: String

    /// The path and the message.
    package var description: String { "\(path.words) \(message)" }
}
