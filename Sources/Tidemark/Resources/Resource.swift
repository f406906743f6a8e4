/// A Swift type for the entities of one type on the wire.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
///     var size: UInt64
/// }
/// let photo = try await cache.entity(Photo.self, id: "1")
/// print(photo?.name ?? "", photo?.size ?? 0)
/// ```
///
/// The names of its coding keys are the names on the wire. Other fields of a stored resource are not decoded; a patch
/// keeps them, and a put of a value replaces the whole resource. Dates are read and written as ISO 8601, data as
/// base64, and numbers of type ``/TidemarkJSON/JSONValue`` unchanged. For a server with other forms, set
/// ``conventions``.
public protocol Resource: Codable, Identifiable, Sendable where ID: ResourceID {
    /// The type's name on the wire: letters, digits, `_`, `.` and `-`, 128 bytes at most.
    static var resourceType: String { get }

    /// How the server writes names and dates. Default: names as they are declared, and dates as ISO 8601.
    static var conventions: ResourceConventions { get }
}

extension Resource {
    /// The default conventions: names as they are declared, and dates as ISO 8601.
    public static var conventions: ResourceConventions { ResourceConventions() }
}

/// A value that can identify a resource: a string, an integer, a UUID, or a type of your own around one of them.
///
/// ```swift
/// struct PhotoID: ResourceID, Codable, RawRepresentable {
///     var rawValue: String
/// }
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: PhotoID
/// }
/// let photo = try await cache.entity(Photo.self, id: PhotoID(rawValue: "1"))
/// print(photo?.id.keyText ?? "none")
/// ```
public protocol ResourceID: Hashable, Sendable {
    /// The id as it appears in a key, `type:id`. A UUID is converted to lower case there, whatever this returns.
    var keyText: String { get }
}

extension ResourceID where Self: RawRepresentable, RawValue: ResourceID {
    /// The id of the raw value.
    public var keyText: String { rawValue.keyText }
}

extension ResourceID where Self: FixedWidthInteger {
    /// The number in decimal digits.
    public var keyText: String { String(self) }
}

extension String: ResourceID {
    /// The string itself.
    public var keyText: String { self }
}

extension Int: ResourceID {}
extension Int64: ResourceID {}
extension UInt64: ResourceID {}
extension Int32: ResourceID {}
extension UInt32: ResourceID {}
