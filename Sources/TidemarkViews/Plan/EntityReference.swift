import TidemarkJSON
import TidemarkModel

/// Reads values that refer to entities.
///
/// - Source: Protocol/policy.md, what is deleted along; Protocol/views.md, joins.
enum EntityReference {
    /// Calls `body` with the canonical id of each entity of a type to which a value refers.
    ///
    /// A reference is an id (a string or an integer), an object with `id`, or with `uuid` where `id` is null or absent,
    /// an object with `__ref`, which only that member then decides, or an array of these.
    ///
    /// - Parameters:
    ///   - bytes: Validated JSON without insignificant white space.
    ///   - target: The cache's own name of the type.
    ///   - types: The cache's own names of types, by their other names.
    static func forEachID(
        in value: Range<Int>, of bytes: UnsafeRawBufferPointer, target: ByteString, types: [ByteString: ByteString],
        _ body: (ByteString) -> Void
    ) {
        guard bytes[value.lowerBound] == UInt8(ascii: "[") else {
            if let id = id(in: value, of: bytes, target: target, types: types) { body(id) }
            return
        }
        JSONElements.forEach(value, of: bytes) { element in
            if let id = id(in: element, of: bytes, target: target, types: types) { body(id) }
        }
    }

    private static func id(
        in value: Range<Int>, of bytes: UnsafeRawBufferPointer, target: ByteString, types: [ByteString: ByteString]
    ) -> ByteString? {
        guard bytes[value.lowerBound] == UInt8(ascii: "{") else { return id(value, of: bytes) }
        let object = JSONObject(bytes, range: value)
        if let reference = object.value(named: "__ref") {
            guard bytes[reference.lowerBound] == UInt8(ascii: "\"") else { return nil }
            let text = JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[reference].dropFirst().dropLast()))
            guard let key = EntityKey(text: ByteString(text)), types[key.type] ?? key.type == target else { return nil }
            return key.id
        }
        if let own = object.value(named: "id"), bytes[own.lowerBound] != UInt8(ascii: "n") {
            return id(own, of: bytes)
        }
        return object.value(named: "uuid").flatMap { id($0, of: bytes) }
    }

    /// Returns an id that is a string or an integer; nil for anything else.
    private static func id(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer) -> ByteString? {
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "\""):
            let text = JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast()))
            return text.isEmpty ? nil : EntityKey.canonicalID(ByteString(text))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = UnsafeRawBufferPointer(rebasing: bytes[value])
            return CompactJSON.isInteger(number) ? ByteString(Array(number)) : nil
        default: return nil
        }
    }
}
