import TidemarkGraphQLLanguage
import TidemarkModel

/// The name of a field in a record of Apollo iOS: the field's name, followed by its arguments, such as
/// `friends(after:null,first:10)`.
///
/// The text does not tell a string from a number, and escapes nothing. The schema decides where it is known; otherwise
/// a text that looks like a number, a boolean or null is one. A name that cannot be read with certainty is nil: its
/// field is then fetched again.
///
/// - Source: docs/moving.md, Apollo iOS.
struct ApolloFieldName {
    /// The field's own name.
    let field: ByteString
    /// The arguments by name; empty if there are none.
    let arguments: [ByteString: InputValue]

    /// The name under which the cache stores the field.
    var storageName: ByteString {
        guard !arguments.isEmpty else { return field }
        return ByteString(field.bytes + [UInt8(ascii: "(")] + InputValue.object(arguments).json.bytes + [0x29])
    }

    /// Parses a name.
    ///
    /// - Parameters:
    ///   - text: The name in the record.
    ///   - typename: The type of the record's object; nil if unknown.
    ///   - schema: The server's schema; nil if unknown.
    init?(_ text: ByteString, of typename: ByteString?, in schema: GraphQLSchema?) {
        let bytes = text.bytes
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")) else {
            field = text
            arguments = [:]
            return
        }
        guard open > 0, bytes.last == UInt8(ascii: ")") else { return nil }
        let name = ByteString(bytes[..<open])
        let declared = typename.flatMap { schema?.id($0) }.flatMap { schema?.field(name, of: $0) }
        if schema != nil, typename != nil, declared == nil { return nil }
        let reader = ApolloArguments(schema: schema)
        guard let values = reader.object(bytes[(open + 1)...].dropLast(), declared?.arguments, depth: 0) else {
            return nil
        }
        field = name
        arguments = values
    }
}
