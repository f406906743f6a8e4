/// Decodes values of Swift from JSON, several times as fast as Foundation's decoder and with exact numbers.
package enum JSONDecoding {
    /// Decodes a value.
    ///
    /// - Parameter conventions: How the text writes names and dates.
    /// - Throws: The errors of Foundation's `JSONDecoder`, mostly `DecodingError`, and any error of the type itself.
    package static func value<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ conventions: ResourceConventions = ResourceConventions()
    ) throws -> Value {
        guard let outline = JSONOutline(bytes, conventions) else { throw ResourceDecoder.unreadable }
        return try ResourceDecoder(outline).value(type)
    }
}
