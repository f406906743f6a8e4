/// The top-level members of a simulated resource in JSON, without its id.
package struct ItemFields: Hashable, Sendable {
    /// The names of all fields.
    package static let names = ["n", "t", "v"]

    /// The JSON values by name; the names are those of ``names``.
    package var values: [String: String]

    /// Creates fields from JSON values by name.
    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Returns the resource as JSON, as in a line.
    ///
    /// - Parameter isLoud: True to write a UUID in capitals, which names the same key.
    package func resource(_ id: String, isLoud: Bool = false) -> String {
        let id = isLoud && id.utf8.count == 36 ? id.uppercased() : id
        let members = Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }
        return "{" + (["\"id\":\"\(id)\""] + members).joined(separator: ",") + "}"
    }

    /// The fields without the id, as a JSON object.
    package var members: String {
        "{" + Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    }

    /// Returns these fields with those of `other` added or replaced.
    package func merged(_ other: ItemFields) -> ItemFields {
        ItemFields(values.merging(other.values) { $1 })
    }
}

extension ItemFields: CustomStringConvertible {
    /// The fields as a JSON object.
    package var description: String { members }
}
