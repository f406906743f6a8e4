import TidemarkModel

/// Why a stored resource is not what its Swift type says, and where.
///
/// The resource stays as it is: read it as ``JSONValue``, or change the type.
public struct ResourceDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    public var resourceType: String
    /// nil when the resource has none.
    public var id: String?
    /// The field that cannot be read; the whole resource when it is empty.
    public var field: JSONPointer
    /// What is stored there; nil when nothing is.
    public var value: JSONValue?
    /// What the type wants there.
    public var reason: String

    public init(resourceType: String, id: String?, field: JSONPointer, value: JSONValue?, reason: String) {
        self.resourceType = resourceType
        self.id = id
        self.field = field
        self.value = value
        self.reason = reason
    }

    /// `photo:1: /size is "big": …`. Long values are cut.
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
