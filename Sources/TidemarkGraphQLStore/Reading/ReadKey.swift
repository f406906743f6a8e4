import TidemarkModel

/// The key of an entity during a read: mostly the text of a reference where it is stored, so that nothing is copied
/// for an entity that nobody asks the key of.
enum ReadKey {
    case key(GraphKey)
    /// `type:id` without escapes, neither of them empty; valid during the read. `typeCount`: the bytes of the type.
    case lent(UnsafeRawBufferPointer, typeCount: Int)

    /// The key itself.
    ///
    /// - Complexity: O(1), or a copy of the text.
    var key: GraphKey {
        switch self {
        case .key(let key): key
        case .lent(let text, let count):
            GraphKey(type: ByteString(text[..<count]), id: ByteString(text[(count + 1)...]))
        }
    }

    /// Tells whether the entity's type is this one.
    @inline(__always)
    func isOfType(_ type: ByteString) -> Bool {
        switch self {
        case .key(let key): return key.type == type
        case .lent(let text, let count):
            let own = UnsafeRawBufferPointer(rebasing: text[..<count])
            return type.bytes.withUnsafeBytes { StoredScan.haveEqualBytes($0, own) }
        }
    }

    /// Lends the bytes of the id.
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
    /// Returns a path as readers of the answer write it.
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
