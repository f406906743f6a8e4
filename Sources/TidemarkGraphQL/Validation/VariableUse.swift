import TidemarkModel

/// A variable at a place where a value of some type is expected.
struct VariableUse {
    var name: ByteString
    var place: SourcePlace
    var type: SchemaTypeReference
    /// The argument or field has a default, which stands in for a variable without a value.
    var hasDefault: Bool
}
