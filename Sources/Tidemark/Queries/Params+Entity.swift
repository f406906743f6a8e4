import TidemarkJSON
import TidemarkModel
import TidemarkStore

extension Params {
    /// Reads a resource type, which must be present.
    ///
    /// - Throws: ``CacheError`` when the type has too many bytes, or characters that a type may not have.
    package func resourceType(limits: Limits) throws(CacheError) -> ByteString {
        guard let type = try optionalResourceType(limits: limits) else {
            throw wrong("resource_type", "the type of the resource")
        }
        return type
    }

    /// Reads a resource type; nil when absent.
    package func optionalResourceType(limits: Limits) throws(CacheError) -> ByteString? {
        guard let type = try text("resource_type", byteCountMax: limits.typeByteCountMax) else { return nil }
        guard !type.bytes.isEmpty, type.bytes.allSatisfy(Params.isTypeByte) else {
            throw CacheError(
                .invalidParams, "\(name("resource_type")) is '\(type)': pass letters, digits and _ . - only")
        }
        return type
    }

    /// Reads an id, which must be present: a string or an integer.
    package func id(limits: Limits) throws(CacheError) -> ByteString {
        guard let value = value("id") else { throw wrong("id", "a string or an integer") }
        return try Params.id(value, name: name("id"), limits: limits)
    }

    /// Reads an array of ids; nil when absent.
    ///
    /// - Throws: ``CacheError`` when there are too many, or when one is not an id.
    package func ids(limits: Limits) throws(CacheError) -> [ByteString]? {
        guard let elements = try elements("ids", countMax: limits.batchMemberCountMax) else { return nil }
        var ids: [ByteString] = []
        for (index, element) in elements.enumerated() {
            ids.append(try Params.id(element, name: "\(name("ids"))[\(index)]", limits: limits))
        }
        return ids
    }

    /// Reads an array of resources, which must be present unless `isOptional`.
    ///
    /// - Returns: Each resource as JSON.
    package func resources(limits: Limits, isOptional: Bool = false) throws(CacheError) -> [[UInt8]] {
        guard let elements = try elements("resources", countMax: limits.batchMemberCountMax) else {
            if isOptional { return [] }
            throw wrong("resources", "an array of objects")
        }
        var resources: [[UInt8]] = []
        for (index, element) in elements.enumerated() {
            guard element.kind == .object else {
                throw CacheError(
                    .invalidParams, "\(name("resources"))[\(index)] is \(element.kind.rawValue): pass an object")
            }
            resources.append(Array(element.bytes))
        }
        return resources
    }

    /// Reads an id as bytes.
    ///
    /// - Parameters:
    ///   - value: The value to read.
    ///   - name: What messages call the id.
    ///   - limits: The bounds of the cache.
    /// - Throws: ``CacheError`` when the value is neither a string nor an integer, or has more bytes than an id may
    ///   have.
    package static func id(_ value: JSONSlice, name: String, limits: Limits) throws(CacheError) -> ByteString {
        let isInteger = value.kind == .number && value.bytes.allSatisfy { $0 == UInt8(ascii: "-") || isDigit($0) }
        if value.kind == .string, value.text == nil {
            throw CacheError(.invalidParams, "\(name) \(Params.found(value)): pass whole characters")
        }
        guard let id = isInteger ? Array(value.bytes) : value.text, !id.isEmpty else {
            throw CacheError(
                .invalidParams, "\(name) is not an id: pass a string that is not empty, or an integer")
        }
        guard id.count <= limits.idByteCountMax else {
            throw CacheError(
                .invalidParams, "\(name) has \(id.count) bytes: pass an id of at most \(limits.idByteCountMax)")
        }
        return ByteString(id)
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
