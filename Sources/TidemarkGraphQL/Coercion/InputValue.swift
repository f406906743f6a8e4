import TidemarkModel

/// A value that is given to a document: JSON with its numbers as they were written.
///
/// - Source: Protocol/graphql.md, storage names.
package indirect enum InputValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// The digits as they were written: `1` and `1.0` are two values.
    case number(ByteString)
    /// The text without escapes; half a surrogate pair stands as three bytes from ED A0 80 on.
    case string(ByteString)
    case list([InputValue])
    /// An object; no two members of one name.
    case object([ByteString: InputValue])
}
