/// Decodes the elements of an array, in order.
struct ResourceUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: ResourceDecoder
    private(set) var currentIndex = 0
    /// The entry of the next element; equal to `end` after the last one.
    private var next: Int
    private let end: Int

    /// - Parameter decoder: The decoder of an array.
    init(_ decoder: ResourceDecoder) {
        self.decoder = decoder
        next = decoder.index + 1
        end = Int(decoder.outline[decoder.index].next)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { Int(decoder.outline[decoder.index].count) }
    var isAtEnd: Bool { next >= end }

    mutating func decodeNil() throws -> Bool {
        try demandElement(Never.self)
        guard decoder.outline.kind(next) == .null else { return false }
        advance()
        return true
    }

    /// One generic method for all types satisfies each of the protocol's requirements.
    @inline(__always)
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try demandElement(type)
        let value = try element(type)
        advance()
        return value
    }

    /// One generic method for all types, like `decode`.
    @inline(__always)
    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        if isAtEnd { return nil }
        let value = decoder.outline.kind(next) == .null ? nil : try element(type)
        advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try demandElement(KeyedDecodingContainer<NestedKey>.self)
        let container = try elementDecoder.container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try demandElement((any UnkeyedDecodingContainer).self)
        let container = try elementDecoder.unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        try demandElement((any Decoder).self)
        defer { advance() }
        return elementDecoder
    }

    private var elementDecoder: ResourceDecoder { ResourceDecoder(decoder.outline, decoder.node, index: next) }

    @inline(__always)
    private func element<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.value(
            type, at: next, path: codingPath + [JSONIndexKey(currentIndex)], decoder: elementDecoder)
    }

    private mutating func advance() {
        next = Int(decoder.outline[next].next)
        currentIndex += 1
    }

    private func demandElement(_ type: any Any.Type) throws {
        guard isAtEnd else { return }
        throw DecodingError.valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [JSONIndexKey(currentIndex)],
                debugDescription: "There is no element after the last one."))
    }
}
