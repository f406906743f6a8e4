#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns resources as JSON into Swift values and back.
///
/// Made for one read or write: it keeps nothing. It never runs on a cache's executor.
package struct ResourceCoder {
    package init() {}

    /// - Throws: ``ResourceDecodingError``.
    package func decode<R: Resource>(_ type: R.Type, _ bytes: [UInt8]) throws(ResourceDecodingError) -> R {
        try decode(type, bytes, resourceType: R.resourceType)
    }

    /// - Parameter resourceType: For the error.
    /// - Throws: ``ResourceDecodingError``.
    package func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], resourceType: String
    ) throws(ResourceDecodingError) -> Value {
        do {
            return try value(type, bytes)
        } catch {
            throw ResourceCoder.explained(error, JSONSource(bytes).value, resourceType)
        }
    }

    /// A value as it is in JSON.
    ///
    /// - Throws: What Foundation's `JSONDecoder` throws, `DecodingError` mostly; and what the type itself throws.
    /// - Complexity: O(bytes.count).
    package func value<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        guard let outline = JSONOutline(bytes) else { throw ResourceDecoder.unreadable }
        return try ResourceDecoder(outline).value(type)
    }

    /// Compact JSON with sorted names. ``JSONValue``s inside it stay as they are.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for what has no JSON form.
    package func encode(_ value: some Encodable) throws(CacheError) -> [UInt8] {
        if let value = value as? JSONValue { return value.bytes }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { try ResourceCoder.encode($0, to: $1) }
        // Sorted, because the encoder's own order differs from run to run: equal values must be equal bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let sink = JSONSink()
        encoder.userInfo[JSONSink.key] = sink
        do {
            let bytes = Array(try encoder.encode(value))
            return sink.isEmpty ? bytes : sink.filled(try JSONValue(parsing: bytes)).bytes
        } catch {
            throw CacheError(.invalidParams, "\(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    // MARK: Errors

    private static func explained(
        _ error: any Error, _ resource: JSONValue, _ resourceType: String
    ) -> ResourceDecodingError {
        let (path, reason) = place(of: error)
        let field = JSONPointer(path, in: resource)
        let id = resource["id"] ?? resource["uuid"]
        return ResourceDecodingError(
            resourceType: resourceType, id: id?.string ?? id?.number?.text, field: field,
            value: resource[pointer: field], reason: reason)
    }

    private static func place(of error: any Error) -> (path: [any CodingKey], reason: String) {
        switch error {
        case DecodingError.typeMismatch(let type, let context):
            (context.codingPath, "\(type) is wanted")
        case DecodingError.valueNotFound(let type, let context):
            (context.codingPath, "\(type) is wanted, which is not optional")
        case DecodingError.keyNotFound(let key, let context):
            (context.codingPath + [key], "the type wants it")
        case DecodingError.dataCorrupted(let context):
            (context.codingPath, context.debugDescription)
        default: ([], "\(error)")
        }
    }

    // MARK: Dates

    private static func encode(_ date: Date, to encoder: any Encoder) throws {
        let isWhole = date.timeIntervalSince1970 == date.timeIntervalSince1970.rounded()
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)))
    }
}
