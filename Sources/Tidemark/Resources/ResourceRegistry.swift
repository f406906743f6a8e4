import TidemarkJSON
import TidemarkModel

/// The Swift types of a program, by their names on the wire.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
/// }
/// let registry = ResourceRegistry([Photo.self])
/// for value in try await cache.entities(type: "photo", registry: registry).values {
///     switch value {
///     case .known(let resource): print((resource as? Photo)?.id ?? "")
///     case .unknown(let type, let value): print(type, value["name"]?.string ?? "")
///     }
/// }
/// ```
public struct ResourceRegistry: Sendable {
    /// The types by their names on the wire. Bounded by the types of the program.
    private var types: [ByteString: any Resource.Type] = [:]

    /// Makes a registry of types.
    ///
    /// - Precondition: No two types have the same name.
    public init(_ types: [any Resource.Type] = []) {
        for type in types { register(type) }
    }

    /// Adds a type.
    ///
    /// - Precondition: No other type has its name.
    public mutating func register(_ type: any Resource.Type) {
        let other = types.updateValue(type, forKey: ByteString(type.resourceType))
        precondition(
            other == nil || other == type,
            "\(type) and \(other.map { "\($0)" } ?? "") both stand for \(type.resourceType)")
    }

    /// Returns the Swift type of a name on the wire; nil when none is registered.
    public func type(named name: String) -> (any Resource.Type)? { types[ByteString(name)] }

    /// Decodes a stored resource as its Swift type, or as a ``/TidemarkJSON/JSONValue`` when its type is not
    /// registered.
    ///
    /// - Parameters:
    ///   - type: The resource's type on the wire.
    ///   - bytes: The resource as JSON.
    /// - Throws: ``ResourceDecodingError`` when the resource does not match its Swift type, or is not JSON.
    public func decode(type: String, _ bytes: [UInt8]) throws(ResourceDecodingError) -> RegisteredResource {
        if let swiftType = self.type(named: type) { return .known(try decode(swiftType, bytes)) }
        do throws(JSONSyntaxError) {
            return .unknown(type: type, try JSONValue(parsing: bytes))
        } catch {
            throw ResourceDecodingError(
                resourceType: type, id: nil, field: JSONPointer(tokens: []), value: nil, reason: error.description)
        }
    }

    private func decode<R: Resource>(_ type: R.Type, _ bytes: [UInt8]) throws(ResourceDecodingError) -> any Resource {
        try ResourceCoder().decode(type, bytes)
    }
}

/// A stored resource, as a Swift value if the program knows its type.
public enum RegisteredResource: Sendable {
    /// A resource of a registered type, to be cast to it.
    case known(any Resource)
    /// A resource whose type is not registered.
    case unknown(type: String, JSONValue)
}
