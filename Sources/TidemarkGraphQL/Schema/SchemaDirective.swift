import TidemarkModel

/// A directive that a schema defines, or that every document may use.
package struct SchemaDirective: Sendable {
    package let name: ByteString
    package let arguments: SchemaInputs
    package let isRepeatable: Bool
    package let locations: Set<DirectiveLocation>
}
