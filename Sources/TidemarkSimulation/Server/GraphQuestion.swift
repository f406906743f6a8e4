import TidemarkModel

/// A document that a simulated client asks: some fields of some entities, each under an alias.
package struct GraphQuestion: Hashable, Sendable {
    /// One entity and the fields of it that are selected, besides its key.
    package struct Selection: Hashable, Sendable {
        package let id: String
        package let fields: [String]
    }

    /// The name of the operation, by which the server knows the question.
    package let name: String
    package let library: String
    package let selections: [Selection]

    /// The text of the query.
    package var document: ByteString {
        let fields = selections.enumerated().map { place, selection in
            "f\(place): file(id: \"\(selection.id)\") { __typename id \(selection.fields.joined(separator: " ")) }"
        }
        return ByteString("query \(name) { \(fields.joined(separator: " ")) }")
    }

    /// Answers the question with the entities that a server has.
    ///
    /// An entity that the server does not have is null. A field that it does not have is null, too, and an error
    /// explains it: that null must not be stored.
    ///
    /// - Returns: The answer as JSON, and the entities that it carries.
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

/// A mutation that a simulated client sends while it waits.
package struct GraphEdit: Sendable {
    /// The fate of the request, as far as the server knows it.
    package enum Fate: Sendable {
        /// No request came yet.
        case unsent
        /// The request came: the layer is on the disk.
        case arrived
        /// The answer left; it is stored as of one of several places.
        case answered([SimulatedServer.Given])
        case refused
        /// The client hears nothing of what happened.
        case lost
    }

    package let library: String
    package let id: String
    package let operation: LayerOperation
    package var fate = Fate.unsent

    /// The fields that the mutation hopes for.
    var hoped: ItemFields {
        switch operation {
        case .put(let fields), .patch(let fields): fields
        case .delete: ItemFields()
        }
    }

    /// The text of the mutation of a pending id.
    func document(_ pendingID: String) -> ByteString {
        ByteString("mutation \(pendingID) { edit { __typename id \(names.joined(separator: " ")) } }")
    }

    var names: [String] { ItemFields.names.filter { hoped.values[$0] != nil } }
}
