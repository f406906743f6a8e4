import TidemarkModel

/// The key of an entity during a read. It mostly points to the text of a stored reference, so that nothing is copied
/// unless the key is used.
enum ReadKey {
    case key(GraphQLKey)
    /// The text `type:id` without escapes, both parts not empty, valid during the read. `typeCount` is the length of
    /// the type.
    case lent(UnsafeRawBufferPointer, typeCount: Int)

    /// The key as a value of its own.
    ///
    /// - Complexity: O(1), or a copy of the text.
    var key: GraphQLKey {
        switch self {
        case .key(let key): key
        case .lent(let text, let count):
            GraphQLKey(type: ByteString(text[..<count]), id: ByteString(text[(count + 1)...]))
        }
    }

    /// True if the entity has this type.
    @inline(__always)
    func isOfType(_ type: ByteString) -> Bool {
        switch self {
        case .key(let key): return key.type == type
        case .lent(let text, let count):
            let own = UnsafeRawBufferPointer(rebasing: text[..<count])
            return type.bytes.withUnsafeBytes { StoredScan.haveEqualBytes($0, own) }
        }
    }

    /// Calls `body` with the bytes of the id.
    @inline(__always)
    func withID<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .key(let key): key.id.bytes.withUnsafeBytes(body)
        case .lent(let text, let count): body(UnsafeRawBufferPointer(rebasing: text[(count + 1)...]))
        }
    }
}

/// One step of the path of a read, without references; see ``ResponseStep``.
enum PathStep {
    /// A field of one of the plan's collections.
    case field(collection: Int, number: Int)
    case index(Int)
}

extension OperationPlan {
    /// Returns the path in `data` for the path of a read.
    ///
    /// - Complexity: O(steps).
    func responsePath(_ steps: some Sequence<PathStep>) -> ResponsePath {
        steps.map { step in
            switch step {
            case .field(let index, let number): .name(collection(index).fields[number].planned.responseName)
            case .index(let index): .index(index)
            }
        }
    }
}
