import TidemarkModel

/// The use of a variable where a value of some type is expected.
struct VariableUse {
    var name: ByteString
    var place: SourcePlace
    var type: SchemaTypeReference
    /// True if the argument or field has a default, which is used for a variable without a value.
    var hasDefault: Bool
}
