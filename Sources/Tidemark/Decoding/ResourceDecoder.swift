/// A decoder of one value of a ``JSONOutline``; also its own single-value container.
///
/// It takes no more room than an existential has in itself, so that handing it to a type's `init(from:)` allocates
/// nothing. It may be kept: it holds all that it reads.
///
/// What it throws is what Foundation's `JSONDecoder` throws, at the same coding path.
struct ResourceDecoder: Decoder {
    let outline: JSONOutline
    /// The last key on the way here that the text does not say; nil when it says all of them.
    let node: CodingPathNode?
    private let place: UInt32
    /// Whether names here are in snake case, and coding keys are not.
    private(set) var convertsNames: Bool

    /// The value's entry.
    var index: Int { Int(place) }

    @inline(__always)
    init(_ outline: JSONOutline, _ node: CodingPathNode?, index: Int) {
        self.outline = outline
        self.node = node
        place = UInt32(truncatingIfNeeded: index)
        convertsNames = outline.hasSnakeCaseNames
    }

    /// Of the whole text.
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

    /// The same decoder of an object whose names are data.
    var keepingNames: ResourceDecoder {
        var decoder = self
        decoder.convertsNames = false
        return decoder
    }

    /// The name that a key has in the text.
    @inline(__always)
    func name(_ key: some CodingKey) -> String {
        convertsNames ? SnakeCase.name(key.stringValue) : key.stringValue
    }

    /// The keys of an object's names; nil for a name that no key has.
    func keys<Key: CodingKey>(as type: Key.Type) -> [Key] {
        let names = outline.names(in: index)
        guard convertsNames else { return names.compactMap { Key(stringValue: $0) } }
        return names.compactMap { name in
            guard let key = Key(stringValue: SnakeCase.key(name)), self.name(key) == name else { return nil }
            return key
        }
    }

    // MARK: Members and elements

    /// The decoder of a member.
    @inline(__always)
    func member(_ key: some CodingKey, at index: Int) -> ResourceDecoder {
        // The text says a key's name, and no number.
        if key.intValue == nil { return ResourceDecoder(outline, node, index: index) }
        return ResourceDecoder(outline, CodingPathNode(self, key, index: index), index: index)
    }

    /// A decoder of null in the place of a member that is not there.
    func absentMember(_ key: some CodingKey) -> ResourceDecoder {
        ResourceDecoder(outline, CodingPathNode(self, key, index: outline.absent), index: outline.absent)
    }

    // MARK: Errors

    private func noContainer(_ type: any Any.Type) -> DecodingError {
        error(outline.kind(index) == .null ? .null(type) : .mismatch(type), at: codingPath)
    }

    /// - Parameter path: Of the value that the fault is about.
    func error(_ fault: DecodingFault, at path: [any CodingKey]) -> DecodingError {
        switch fault {
        case .mismatch(let type):
            .typeMismatch(
                type,
                DecodingError.Context(
                    codingPath: path, debugDescription: "\(type) is wanted, and there is a value of another kind."))
        case .null(let type):
            .valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: "\(type) is wanted, and there is null.")
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

    /// One for all types: the compiler makes each of the protocol's methods of it.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value(type, at: index, path: codingPath, decoder: self)
    }
}
