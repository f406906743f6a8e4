/// Choices for the generated code.
package struct GeneratorOptions: Hashable, Sendable {
    /// The access level of generated declarations.
    package enum Access: String, Hashable, Sendable, CaseIterable {
        case `public`, `internal`, `package`

        /// The word with a space behind it; empty for `internal`.
        var prefix: String { self == .internal ? "" : "\(rawValue) " }
    }

    /// The declarations that share a file.
    package enum Grouping: Hashable, Sendable {
        /// One file for each operation and each fragment.
        case definitions
        /// One file for each document, as build commands declare them.
        case documents
    }

    package var access = Access.internal
    /// An enum around all declarations; nil: they stand at the top level.
    package var namespace: String?
    /// Swift types of custom scalars; a scalar without one is a `JSONValue`.
    package var scalars: [String: String] = [:]
    package var grouping = Grouping.definitions

    package init() {}
}
