/// The options of the generated code.
package struct GeneratorOptions: Hashable, Sendable {
    /// The access level of generated declarations.
    package enum Access: String, Hashable, Sendable, CaseIterable {
        case `public`, `internal`, `package`

        /// The keyword followed by a space; empty for `internal`.
        var prefix: String { self == .internal ? "" : "\(rawValue) " }
    }

    /// Which declarations share a file.
    package enum Grouping: Hashable, Sendable {
        /// One file for each operation and each fragment.
        case definitions
        /// One file for each document, as the build plugin declares them.
        case documents
    }

    /// The access level: `internal`.
    package var access = Access.internal
    /// The name of an enum around all declarations; nil to declare them at the top level.
    package var namespace: String?
    /// The Swift types of custom scalars. A scalar that is not listed becomes a `JSONValue`.
    package var scalars: [String: String] = [:]
    /// Which declarations share a file: one file for each definition.
    package var grouping = Grouping.definitions

    /// Creates the default options.
    package init() {}
}
