import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Finds references in stored values.
///
/// - Source: Protocol/graphql.md, what is stored.
enum StoredReference {
    /// The first eight of the ten bytes `{"__ref":"`, as a word.
    private static let prefix = UInt64(littleEndian: 0x2266_6572_5F5F_227B)
    private static let prefixCount = 10
    private static let typenamePrefix = Array("{\"__typename\":\"".utf8)

    /// Returns the entity that a value refers to.
    ///
    /// - Parameter declared: The object type that the schema declares for the field. An id in an event, or an object
    ///   with the key fields, then refers to an entity of that type. If nil, only `__ref` is a reference.
    /// - Returns: nil for any other value.
    @inline(__always)
    static func read(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, declared: ByteString?, _ rules: GraphQLRules
    ) -> ReadKey? {
        if range.count > prefixCount,
            bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self) == prefix,
            bytes[range.lowerBound + 8] == UInt8(ascii: ":"), bytes[range.lowerBound + 9] == UInt8(ascii: "\"")
        {
            let text = StoredScan.string(bytes, range.lowerBound + prefixCount - 1)
            return key(text: UnsafeRawBufferPointer(rebasing: bytes[text]))
        }
        return declaredKey(range, of: bytes, declared, rules).map { .key($0) }
    }

    /// Returns the entity that a value refers to; see ``read(_:of:declared:_:)``.
    static func key(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, declared: ByteString?, _ rules: GraphQLRules
    ) -> GraphQLKey? {
        read(range, of: bytes, declared: declared, rules)?.key
    }

    private static func declaredKey(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ declared: ByteString?, _ rules: GraphQLRules
    ) -> GraphQLKey? {
        guard let declared else { return nil }
        if bytes[range.lowerBound] == UInt8(ascii: "{") {
            return key(ofObject: range, of: bytes, declared: declared, rules)
        }
        guard let text = scalarText(range, of: bytes), !text.isEmpty else { return nil }
        return GraphQLKey(type: rules.resourceType(of: declared), id: ByteString(text))
    }

    /// Reads the text of a reference in its written form.
    @inline(__always)
    private static func key(text: UnsafeRawBufferPointer) -> ReadKey? {
        var colon = text.count
        for (index, byte) in text.enumerated() {
            if byte == UInt8(ascii: "\\") {
                return GraphQLKey(text: ByteString(JSONText.unescaped(text))).map { .key($0) }
            }
            if byte == UInt8(ascii: ":"), colon == text.count { colon = index }
        }
        guard colon > 0, colon + 1 < text.count else { return nil }
        return .lent(text, typeCount: colon)
    }

    /// Returns the key of an object in an event's field, whose declared type is an object type.
    private static func key(
        ofObject range: Range<Int>, of bytes: UnsafeRawBufferPointer, declared: ByteString, _ rules: GraphQLRules
    ) -> GraphQLKey? {
        // An embedded object of a response has no key; its own type may differ from the declared one.
        if let typename = typename(range, of: bytes), typename != declared { return nil }
        var members = MemberStack()
        StoredScan.open(range, of: bytes, into: &members)
        let names = rules.identity.keyFields(of: declared)
        var id: [UInt8] = []
        for (place, name) in names.enumerated() {
            guard let value = StoredScan.value(of: name.bytes, in: members, 0..<members.count, of: bytes),
                let text = scalarText(value, of: bytes), !text.isEmpty
            else { return nil }
            if place > 0 { id.append(UInt8(ascii: "+")) }
            KeyText.append(text, isJoined: names.count > 1, to: &id)
        }
        guard id.count <= RootID.byteCountMax else { return nil }
        return GraphQLKey(type: rules.resourceType(of: declared), id: ByteString(id))
    }

    /// Returns the text of a string or an integer; nil for other values.
    private static func scalarText(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "\""):
            JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1]))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            bytes[range].dropFirst().allSatisfy { 0x30...0x39 ~= $0 } ? Array(bytes[range]) : nil
        default: nil
        }
    }

    /// Returns the `__typename` stored in an embedded object; nil if it has none.
    static func typename(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> ByteString? {
        guard bytes[range.lowerBound] == UInt8(ascii: "{") else { return nil }
        if starts(with: typenamePrefix, range, of: bytes) {
            let text = StoredScan.string(bytes, range.lowerBound + typenamePrefix.count - 1)
            return ByteString(JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[text])))
        }
        var members = MemberStack()
        StoredScan.open(range, of: bytes, into: &members)
        guard
            let value = StoredScan.value(
                of: PlanField.typename.bytes, in: members, 0..<members.count, of: bytes),
            bytes[value.lowerBound] == UInt8(ascii: "\"")
        else { return nil }
        return ByteString(
            JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[value.lowerBound + 1..<value.upperBound - 1])))
    }

    private static func starts(
        with prefix: [UInt8], _ range: Range<Int>, of bytes: UnsafeRawBufferPointer
    ) -> Bool {
        guard range.count > prefix.count else { return false }
        return prefix.withUnsafeBytes {
            JSONText.haveEqualBytes(
                UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<range.lowerBound + prefix.count]), $0)
        }
    }
}
