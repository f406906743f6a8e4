/// Decodes the members of an object.
struct ResourceKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ResourceDecoder

    /// - Parameter decoder: The decoder of an object.
    init(_ decoder: ResourceDecoder) {
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { decoder.keys(as: Key.self) }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        decoder.outline.kind(try index(key)) == .null
    }

    /// One generic method for all types satisfies each of the protocol's requirements.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(type, key, at: try index(key))
    }

    /// One generic method for all types, like `decode`. The protocol's default would look up the key three times.
    @inline(__always)
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = find(key), decoder.outline.kind(index) != .null else { return nil }
        return try value(type, key, at: index)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.member(key, at: try index(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.member(key, at: try index(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { superDecoder(JSONName("super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

    private func superDecoder(_ key: some CodingKey) -> ResourceDecoder {
        find(key).map { decoder.member(key, at: $0) } ?? decoder.absentMember(key)
    }

    @inline(__always)
    private func value<Value: Decodable>(_ type: Value.Type, _ key: Key, at index: Int) throws -> Value {
        try decoder.value(
            type, at: index, path: decoder.codingPath + [key], decoder: decoder.member(key, at: index))
    }

    @inline(__always)
    private func find(_ key: some CodingKey) -> Int? {
        decoder.outline.value(named: decoder.name(key), in: decoder.index)
    }

    @inline(__always)
    private func index(_ key: Key) throws -> Int {
        if let index = find(key) { return index }
        throw DecodingError.keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "There is no member \"\(decoder.name(key))\"."))
    }
}
