/// Decodes one value of a ``JSONOutline``; it is also its own single-value container.
///
/// The decoder fits into the inline buffer of an existential, so that passing it to a type's `init(from:)` allocates
/// nothing. A type may keep it, because it owns everything that it reads.
///
/// It throws the same errors as Foundation's `JSONDecoder`, with the same coding paths.
struct ResourceDecoder: Decoder {
    let outline: JSONOutline
    /// The last key on the path that the text does not show; nil when the text shows all keys.
    let node: CodingPathNode?
    private let place: UInt32
    /// True if names in the text are in snake case here and coding keys are not.
    private(set) var convertsNames: Bool

    /// The index of the value's entry.
    var index: Int { Int(place) }

    @inline(__always)
    init(_ outline: JSONOutline, _ node: CodingPathNode?, index: Int) {
        self.outline = outline
        self.node = node
        place = UInt32(truncatingIfNeeded: index)
        convertsNames = outline.hasSnakeCaseNames
    }

    /// Makes the decoder of the whole text.
    init(_ outline: JSONOutline) {
        self.init(outline, nil, index: 0)
    }

    var codingPath: [any CodingKey] {
        (node?.keys ?? []) + outline.keys(from: node?.index ?? 0, to: index)
    }

    var userInfo: [CodingUserInfoKey: Any] { [JSONSource.key: outline.source] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard outline.kind(index) == .object else { throw noContainer([String: Any].self) }
        return KeyedDecodingContainer(ResourceKeyedContainer(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard outline.kind(index) == .array else { throw noContainer([Any].self) }
        return ResourceUnkeyedContainer(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: Names

    /// This decoder for an object whose names are data, which are not converted.
    var keepingNames: ResourceDecoder {
        var decoder = self
        decoder.convertsNames = false
        return decoder
    }

    /// Returns the name of a key in the text.
    @inline(__always)
    func name(_ key: some CodingKey) -> String {
        convertsNames ? SnakeCase.name(key.stringValue) : key.stringValue
    }

    /// Returns the coding keys of the object's names. Names without a key are left out.
    func keys<Key: CodingKey>(as type: Key.Type) -> [Key] {
        let names = outline.names(in: index)
        guard convertsNames else { return names.compactMap { Key(stringValue: $0) } }
        return names.compactMap { name in
            guard let key = Key(stringValue: SnakeCase.key(name)), self.name(key) == name else { return nil }
            return key
        }
    }

    // MARK: Members and elements

    /// Returns the decoder of a member.
    @inline(__always)
    func member(_ key: some CodingKey, at index: Int) -> ResourceDecoder {
        // The text shows the name of a key, but not its number.
        if key.intValue == nil { return ResourceDecoder(outline, node, index: index) }
        return ResourceDecoder(outline, CodingPathNode(self, key, index: index), index: index)
    }

    /// Returns a decoder that reads null for a missing member.
    func absentMember(_ key: some CodingKey) -> ResourceDecoder {
        ResourceDecoder(outline, CodingPathNode(self, key, index: outline.absent), index: outline.absent)
    }

    // MARK: Errors

    private func noContainer(_ type: any Any.Type) -> DecodingError {
        error(outline.kind(index) == .null ? .null(type) : .mismatch(type), at: codingPath)
    }

    /// - Parameter path: The coding path of the value with the fault.
    func error(_ fault: ValueDecodingError, at path: [any CodingKey]) -> DecodingError {
        switch fault {
        case .mismatch(let type):
            .typeMismatch(
                type,
                DecodingError.Context(
                    codingPath: path, debugDescription: "\(type) is expected, but found another kind of value."))
        case .null(let type):
            .valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: "\(type) is expected, but found null.")
            )
        case .corrupted(let reason):
            .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
        case .unreadable: ResourceDecoder.unreadable
        }
    }

    static var unreadable: DecodingError {
        .dataCorrupted(
            DecodingError.Context(codingPath: [], debugDescription: "The given data was not valid JSON."))
    }
}

extension ResourceDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { outline.kind(index) == .null }

    /// One generic method for all types satisfies each of the protocol's requirements.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value(type, at: index, path: codingPath, decoder: self)
    }
}
