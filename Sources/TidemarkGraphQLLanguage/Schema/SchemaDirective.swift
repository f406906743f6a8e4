import TidemarkModel

/// A directive that a schema defines, or that every document may use.
package struct SchemaDirective: Sendable {
    /// The name without its `@`.
    package let name: ByteString
    /// The arguments that the directive accepts.
    package let arguments: SchemaInputs
    /// True if the directive may be written several times at one place.
    package let isRepeatable: Bool
    /// The locations where the directive may be written.
    package let locations: Set<DirectiveLocation>
}
