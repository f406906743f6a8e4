import TidemarkJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts resources between JSON and Swift values.
///
/// It keeps no state: make one for each read or write. It never runs on a cache's executor.
package struct ResourceCoder {
    package init() {}

    /// Decodes a resource.
    ///
    /// - Throws: ``ResourceDecodingError`` when the resource does not match its type.
    package func decode<R: Resource>(_ type: R.Type, _ bytes: [UInt8]) throws(ResourceDecodingError) -> R {
        do {
            return try value(type, bytes, R.conventions)
        } catch {
            throw ResourceCoder.explained(error, JSONSource(bytes).value, type)
        }
    }

    /// Decodes any value from JSON.
    ///
    /// - Throws: The errors of Foundation's `JSONDecoder`, mostly `DecodingError`, and any error of the type itself.
    package func value<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ conventions: ResourceConventions = ResourceConventions()
    ) throws -> Value {
        try JSONDecoding.value(type, bytes, conventions)
    }

    /// Encodes a resource in the form of its server, as compact JSON with sorted names. A ``JSONValue`` inside it is
    /// unchanged.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` when the resource has no JSON form.
    package func encode<R: Resource>(_ resource: R) throws(CacheError) -> [UInt8] {
        try encode(resource, R.conventions)
    }

    /// Encodes a value as compact JSON with sorted names. A ``JSONValue`` inside it is unchanged.
    ///
    /// - Parameter conventions: The conventions of the resource that the value belongs to; the default ones for any
    ///   other value, such as the input of a query.
    /// - Throws: ``CacheError`` `.invalidParams` when the value has no JSON form.
    package func encode(
        _ value: some Encodable, _ conventions: ResourceConventions = ResourceConventions()
    ) throws(CacheError) -> [UInt8] {
        if let value = value as? JSONValue { return value.bytes }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = ResourceCoder.strategy(conventions.dates)
        if conventions.names == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        // The encoder's own order differs from run to run, and equal values must have equal bytes.
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

    private static func explained<R: Resource>(
        _ error: any Error, _ resource: JSONValue, _ type: R.Type
    ) -> ResourceDecodingError {
        let (path, reason) = place(of: error)
        let isSnakeCase = R.conventions.names == .snakeCase
        let field = JSONPointer(path, in: resource, converting: { isSnakeCase ? SnakeCase.name($0) : $0 })
        let id = resource["id"] ?? resource["uuid"]
        return ResourceDecodingError(
            resourceType: R.resourceType, id: id?.string ?? id?.number?.text, field: field,
            value: resource[pointer: field], reason: reason)
    }

    /// Returns where decoding failed, and what the Swift type requires there.
    package static func place(of error: any Error) -> (path: [any CodingKey], reason: String) {
        switch error {
        case DecodingError.typeMismatch(let type, let context):
            (context.codingPath, "\(type) is expected")
        case DecodingError.valueNotFound(let type, let context):
            (context.codingPath, "\(type) is expected, which is not optional")
        case DecodingError.keyNotFound(let key, let context):
            (context.codingPath + [key], "the type requires it")
        case DecodingError.dataCorrupted(let context):
            (context.codingPath, context.debugDescription)
        default: ([], "\(error)")
        }
    }

    // MARK: Dates

    private static func strategy(_ dates: ResourceConventions.Dates) -> JSONEncoder.DateEncodingStrategy {
        switch dates {
        case .iso8601: .custom { try ResourceCoder.encode($0, to: $1) }
        case .secondsSince1970: .secondsSince1970
        case .millisecondsSince1970: .millisecondsSince1970
        case .custom(_, let encode): .custom(encode)
        }
    }

    private static func encode(_ date: Date, to encoder: any Encoder) throws {
        let isWhole = date.timeIntervalSince1970 == date.timeIntervalSince1970.rounded()
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)))
    }
}
