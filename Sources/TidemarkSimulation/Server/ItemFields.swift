/// The top-level members of a simulated resource, as they are written, without its id.
package struct ItemFields: Hashable, Sendable {
    package static let names = ["n", "t", "v"]

    /// JSON by name; only names of ``names``.
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// The resource as it stands on a line.
    ///
    /// - Parameter isLoud: In capitals, which make no other key of a UUID.
    package func resource(_ id: String, isLoud: Bool = false) -> String {
        let id = isLoud && id.utf8.count == 36 ? id.uppercased() : id
        let members = Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }
        return "{" + (["\"id\":\"\(id)\""] + members).joined(separator: ",") + "}"
    }

    /// The members without an id, as a patch names them.
    package var members: String {
        "{" + Self.names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    }

    /// These fields with those of another laid over them.
    package func merged(_ other: ItemFields) -> ItemFields {
        ItemFields(values.merging(other.values) { $1 })
    }
}

extension ItemFields: CustomStringConvertible {
    package var description: String { members }
}
