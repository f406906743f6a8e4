/// A Swift type for the resources of one type on the wire.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
///     var size: UInt64
/// }
/// ```
///
/// The names of its coding keys are the names on the wire. Other fields of a stored resource are not decoded, and a
/// patch keeps them; putting a value replaces the whole resource. Dates are read and written as ISO 8601, data as
/// base64, and numbers of type ``JSONValue`` unchanged. For a server with other forms, set ``conventions``.
public protocol Resource: Codable, Identifiable, Sendable where ID: ResourceID {
    /// The type's name on the wire: letters, digits, `_`, `.` and `-`, 128 bytes at most.
    static var resourceType: String { get }

    /// The forms of names and dates on the server; by default names as they are declared, and dates as ISO 8601.
    static var conventions: ResourceConventions { get }
}

extension Resource {
    public static var conventions: ResourceConventions { ResourceConventions() }
}

/// A value that can identify a resource: a string, an integer or a UUID, or a type of your own around one of them.
///
/// ```swift
/// struct PhotoID: ResourceID, Codable, RawRepresentable {
///     var rawValue: String
/// }
/// ```
public protocol ResourceID: Hashable, Sendable {
    /// The id in a key, `type:id`. A UUID is put into lower case in the key, whatever this returns.
    var keyText: String { get }
}

extension ResourceID where Self: RawRepresentable, RawValue: ResourceID {
    public var keyText: String { rawValue.keyText }
}

extension ResourceID where Self: FixedWidthInteger {
    public var keyText: String { String(self) }
}

extension String: ResourceID {
    public var keyText: String { self }
}

extension Int: ResourceID {}
extension Int64: ResourceID {}
extension UInt64: ResourceID {}
extension Int32: ResourceID {}
extension UInt32: ResourceID {}
