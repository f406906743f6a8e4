import TidemarkModel

/// The error of a stored resource that does not match its Swift type, with its place.
///
/// The resource stays stored: read it as ``JSONValue``, or change the type.
public struct ResourceDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    public var resourceType: String
    /// The id of the resource; nil when it has none.
    public var id: String?
    /// The field that cannot be decoded; empty for the whole resource.
    public var field: JSONPointer
    /// The stored value; nil when there is none.
    public var value: JSONValue?
    /// The value that the type wants.
    public var reason: String

    public init(resourceType: String, id: String?, field: JSONPointer, value: JSONValue?, reason: String) {
        self.resourceType = resourceType
        self.id = id
        self.field = field
        self.value = value
        self.reason = reason
    }

    /// The error as text: `photo:1: /size is "big": …`. Long values are cut.
    public var description: String {
        let place = field.tokens.isEmpty ? "the resource" : field.description
        return
            "\(resourceType):\(id ?? "?"): \(place) is \(value.map(ResourceDecodingError.shortened) ?? "missing"): \(reason)"
    }

    private static let valueByteCountMax = 200

    private static func shortened(_ value: JSONValue) -> String {
        let bytes = value.bytes
        if bytes.count <= valueByteCountMax { return String(decoding: bytes, as: UTF8.self) }
        return ByteString.excerpt(of: bytes, byteCount: valueByteCountMax) + " (\(bytes.count) bytes)"
    }
}
