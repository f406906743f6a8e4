import TidemarkJSON
import TidemarkModel

/// A stored resource does not match its Swift type.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var size: Int
/// }
/// do {
///     print(try await cache.entity(Photo.self, id: "1")?.size ?? 0)
/// } catch let error as ResourceDecodingError {
///     print(error.field, error.value?.text ?? "missing", error.reason)  // for example /size "big" …
/// }
/// ```
///
/// The resource stays stored: read it as ``/TidemarkJSON/JSONValue``, or change the type.
public struct ResourceDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The resource's type on the wire.
    public var resourceType: String
    /// The id of the resource; nil when it has none.
    public var id: String?
    /// The field that cannot be decoded; empty for the whole resource.
    public var field: JSONPointer
    /// The stored value of the field; nil when there is none.
    public var value: JSONValue?
    /// What the Swift type requires.
    public var reason: String

    /// Makes an error.
    public init(resourceType: String, id: String?, field: JSONPointer, value: JSONValue?, reason: String) {
        self.resourceType = resourceType
        self.id = id
        self.field = field
        self.value = value
        self.reason = reason
    }

    /// The error in one line: `photo:1: /size is "big": …`. Long values are cut.
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
