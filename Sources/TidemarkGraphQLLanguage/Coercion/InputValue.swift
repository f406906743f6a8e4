import TidemarkModel

/// The value of a variable or an argument: JSON whose numbers keep their spelling.
///
/// - Source: Protocol/graphql.md, storage names.
package indirect enum InputValue: Hashable, Sendable {
    /// Null.
    case null
    /// True or false.
    case boolean(Bool)
    /// A number in its original spelling: `1` and `1.0` are different values.
    case number(ByteString)
    /// The text without escapes. Half a surrogate pair is encoded in three bytes, from ED A0 80 on.
    case string(ByteString)
    /// A list of values.
    case list([InputValue])
    /// An object, with each name once.
    case object([ByteString: InputValue])
}
