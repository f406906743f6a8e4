import TidemarkModel

/// Which Swift type stands for which type on the wire.
///
/// ```swift
/// let registry = ResourceRegistry([Photo.self, Album.self])
/// for value in try await cache.entities(type: "photo", registry: registry).values {
///     switch value {
///     case .known(let resource): print((resource as? Photo)?.name ?? "")
///     case .unknown(let type, let value): print(type, value["name"]?.string ?? "")
///     }
/// }
/// ```
public struct ResourceRegistry: Sendable {
    /// Bounded by the types of the program.
    private var types: [ByteString: any Resource.Type] = [:]

    /// - Precondition: No two types bear one name.
    public init(_ types: [any Resource.Type] = []) {
        for type in types { register(type) }
    }

    /// Adds a type.
    ///
    /// - Precondition: No other type bears its name.
    public mutating func register(_ type: any Resource.Type) {
        let other = types.updateValue(type, forKey: ByteString(type.resourceType))
        precondition(
            other == nil || other == type,
            "\(type) and \(other.map { "\($0)" } ?? "") both stand for \(type.resourceType)")
    }

    /// The type that stands for a name; nil when none does.
    public func type(named name: String) -> (any Resource.Type)? { types[ByteString(name)] }

    /// A stored resource as its Swift type, or as it is.
    ///
    /// - Parameters:
    ///   - type: The resource's type on the wire.
    ///   - bytes: The resource as JSON.
    /// - Throws: ``ResourceDecodingError`` when it is not what its Swift type says, or no JSON.
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

/// A stored resource, as much as a program knows of it.
public enum RegisteredResource: Sendable {
    /// Of a registered type; cast it.
    case known(any Resource)
    /// Of a type that nobody registered.
    case unknown(type: String, JSONValue)
}
