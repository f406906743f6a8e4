/// The top-level members of a simulated resource in their JSON form, without its id.
package struct ItemFields: Hashable, Sendable {
    package static let names = ["n", "t", "v"]

    /// The values as JSON by name; only names of ``names``.
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Returns the resource as it is on a line.
    ///
    /// - Parameter isLoud: Whether a UUID is in capitals, which still name the same key.
    package func resource(_ id: String, isLoud: Bool = false) -> String {
        let id = isLoud && id.utf8.count == 36 ? id.uppercased() : id
        let members = Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }
        return "{" + (["\"id\":\"\(id)\""] + members).joined(separator: ",") + "}"
    }

    /// The members without an id, in the form of a patch.
    package var members: String {
        "{" + Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    }

    /// Returns these fields with those of another added or replaced.
    package func merged(_ other: ItemFields) -> ItemFields {
        ItemFields(values.merging(other.values) { $1 })
    }
}

extension ItemFields: CustomStringConvertible {
    package var description: String { members }
}
