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
/// The names of its coding keys are the names on the wire. What a stored resource has beyond them is not read, and stays
/// when a patch is made; putting a value replaces the whole resource. Dates are read and written as ISO 8601, data as
/// base64, numbers of type ``JSONValue`` as they came. A server that does otherwise is described by ``conventions``.
public protocol Resource: Codable, Identifiable, Sendable where ID: ResourceID {
    /// The type's name on the wire: letters, digits, `_`, `.` and `-`, 128 bytes at most.
    static var resourceType: String { get }

    /// How the server writes names and dates; by default names as they are declared, and dates as ISO 8601.
    static var conventions: ResourceConventions { get }
}

extension Resource {
    public static var conventions: ResourceConventions { ResourceConventions() }
}

/// What can identify a resource: a string, an integer or a UUID, or a type of your own around one.
///
/// ```swift
/// struct PhotoID: ResourceID, Codable, RawRepresentable {
///     var rawValue: String
/// }
/// ```
public protocol ResourceID: Hashable, Sendable {
    /// The id as it stands in a key, `type:id`. UUIDs are keyed in lower case whatever this gives.
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
