import TidemarkModel

/// A query document of a simulated client: some fields of some entities, each under an alias.
package struct GraphQLQuestion: Hashable, Sendable {
    /// One entity and its selected fields, besides its key.
    package struct Selection: Hashable, Sendable {
        /// The id of the entity.
        package let id: String
        /// The names of the selected fields.
        package let fields: [String]
    }

    /// The name of the operation, by which the server finds the question.
    package let name: String
    /// The library of the entities.
    package let library: String
    /// The selected entities; the alias of the first is `f0`.
    package let selections: [Selection]

    /// The text of the query.
    package var document: ByteString {
        let fields = selections.enumerated().map { place, selection in
            "f\(place): file(id: \"\(selection.id)\") { __typename id \(selection.fields.joined(separator: " ")) }"
        }
        return ByteString("query \(name) { \(fields.joined(separator: " ")) }")
    }

    /// Answers the question from the server's entities.
    ///
    /// A missing entity is null. A missing field is null with an error for its path, so the cache must not store that
    /// null.
    ///
    /// - Returns: The response as JSON, and the entities in it.
    func answer(from entities: [String: ItemFields]) -> (text: String, given: [(id: String, fields: ItemFields)]) {
        var members: [String] = []
        var errors: [String] = []
        var given: [(id: String, fields: ItemFields)] = []
        for (place, selection) in selections.enumerated() {
            guard let there = entities[selection.id] else {
                members.append("\"f\(place)\":null")
                continue
            }
            var fields = ItemFields()
            var object = #""__typename":"file","id":"\#(selection.id)""#
            for name in selection.fields {
                fields.values[name] = there.values[name]
                object += ",\"\(name)\":\(there.values[name] ?? "null")"
                if there.values[name] == nil { errors.append(#"{"message":"none","path":["f\#(place)","\#(name)"]}"#) }
            }
            members.append("\"f\(place)\":{\(object)}")
            given.append((selection.id, fields))
        }
        var text = "{\"data\":{\(members.joined(separator: ","))}"
        if !errors.isEmpty { text += ",\"errors\":[\(errors.joined(separator: ","))]" }
        return (text + "}", given)
    }
}

/// A mutation that a simulated client sends and waits for.
package struct GraphQLEdit: Sendable {
    /// What happened to the request, as far as the server knows.
    package enum Fate: Sendable {
        /// No request has arrived.
        case unsent
        /// The request has arrived, so the layer is on disk.
        case arrived
        /// The response was sent; it is stored as of one of several positions.
        case answered([SimulatedServer.Given])
        /// The request was refused.
        case refused
        /// The client learns nothing about the outcome.
        case lost
    }

    /// The library of the entity.
    package let library: String
    /// The id of the entity.
    package let id: String
    /// What the mutation does.
    package let operation: LayerOperation
    /// What happened to the request.
    package var fate = Fate.unsent

    /// The fields of the optimistic response.
    var hoped: ItemFields {
        switch operation {
        case .put(let fields), .patch(let fields): fields
        case .delete: ItemFields()
        }
    }

    /// Returns the text of the mutation with a pending id.
    func document(_ pendingID: String) -> ByteString {
        ByteString("mutation \(pendingID) { edit { __typename id \(names.joined(separator: " ")) } }")
    }

    var names: [String] { ItemFields.names.filter { hoped.values[$0] != nil } }
}
