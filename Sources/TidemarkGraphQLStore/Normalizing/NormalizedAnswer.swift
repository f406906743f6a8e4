import TidemarkModel

/// The entities that an answer becomes, each once.
package struct NormalizedAnswer: Sendable {
    /// One entity with the fields that the answer has of it.
    package struct Entity: Sendable {
        package let key: GraphKey
        package var object: StoredObject

        /// The resource as compact JSON.
        ///
        /// - Complexity: O(bytes).
        package var resource: [UInt8] {
            var bytes: [UInt8] = []
            object.appendResource(to: &bytes)
            return bytes
        }
    }

    /// One root field of a query.
    package struct RootField: Sendable {
        package let key: GraphKey
        package let storageName: ByteString
        /// The types that its value refers to, each once, sorted.
        package let types: [ByteString]
        /// The rule of a list that grows, with the entities that the answer listed; nil for any other field.
        let list: (rule: MembershipRule, elements: [GraphKey])?
    }

    /// The entities in the order in which the answer names them; roots stand where their field does.
    package internal(set) var entities: [Entity] = []
    /// The root fields that are stored; empty for mutations and subscriptions.
    package internal(set) var roots: [RootField] = []
    /// The entities by their places in the answer; empty unless the places were asked for.
    package internal(set) var keysByPath: [ResponsePath: GraphKey] = [:]
    private var places: [GraphKey: Int] = [:]

    init() {}

    /// - Complexity: O(1).
    package subscript(key: GraphKey) -> Entity? { places[key].map { entities[$0] } }

    /// Adds what one place of the answer has of an entity.
    mutating func add(_ object: StoredObject, to key: GraphKey) {
        if let place = places[key] {
            entities[place].object.merge(object)
        } else {
            places[key] = entities.count
            entities.append(Entity(key: key, object: object))
        }
    }
}

/// The reason why an answer does not fit its document; nothing of it is stored.
package struct AnswerFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of faults; the raw value is for tools and tests.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes are no JSON, or nest too deeply.
        case notJSON = "not_json"
        /// The JSON is no answer of GraphQL.
        case notGraphQL = "not_graphql"
        /// The value is of another kind than the selection or the schema wants.
        case wrongShape = "wrong_shape"
        /// A selected field is not there.
        case missingField = "missing_field"
        /// The schema does not have the object's type.
        case unknownType = "unknown_type"
    }

    package var code: Code
    /// The place in `data`.
    package var path: ResponsePath
    /// One sentence without the place.
    package var message: String

    package var description: String { "\(path.words) \(message)" }
}
