import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Makes the join keys of an entity. Two entities fulfil a condition of `on` if they have a key in common, so one hash
/// index over these keys finds the matches in either direction.
///
/// - Source: Protocol/views.md, joins.
enum KeyExtractor: Hashable, Sendable {
    /// The entity's own id.
    case identity
    /// The exact code of a value that is not null, or of every such element of an array.
    case values(RulePointer, everyElement: Bool)
    /// The ids of the entities of one type to which a value refers, or every element of an array.
    case references(RulePointer, everyElement: Bool, target: ByteString)
    /// No key at all: for entities of two types, none of which is the other one.
    case nothing

    /// Returns the keys of an entity, each once.
    ///
    /// - Parameter types: The cache's own names of types, by their other names.
    func keys(id: ByteString, resource: OutlinedResource, types: [ByteString: ByteString]) -> JoinKeys {
        keys(id: id, types: types) { ValueSlice(resource, at: $0) }
    }

    /// Returns the keys of a parameter's value, each once.
    func keys(of value: [UInt8], types: [ByteString: ByteString]) -> JoinKeys {
        keys(id: "", types: types) { ValueSlice(value, at: $0) }
    }

    private func keys(
        id: ByteString, types: [ByteString: ByteString], _ value: (RulePointer) -> ValueSlice?
    ) -> JoinKeys {
        var keys = JoinKeys()
        var seen: Set<ByteString> = []
        switch self {
        case .nothing: break
        case .identity: return JoinKeys(id)
        case .values(let pointer, let everyElement):
            forEachElement(of: value(pointer), everyElement) { value, bytes in
                guard bytes[value.lowerBound] != UInt8(ascii: "n") else { return }
                keys.insert(ByteString(ValueCode.exact(value, of: bytes)), &seen)
            }
        case .references(let pointer, let everyElement, let target):
            forEachElement(of: value(pointer), everyElement) { value, bytes in
                EntityReference.forEachID(in: value, of: bytes, target: target, types: types) {
                    keys.insert($0, &seen)
                }
            }
        }
        return keys
    }

    /// Returns false if two versions of an entity have the same keys because the value is written alike in both. True
    /// says nothing.
    func mayDiffer(_ difference: MemberDifference) -> Bool {
        switch self {
        case .identity, .nothing: false
        case .values(let pointer, _), .references(let pointer, _, _): difference.mayConcern(pointer)
        }
    }

    private func forEachElement(
        of value: ValueSlice?, _ everyElement: Bool, _ body: (Range<Int>, UnsafeRawBufferPointer) -> Void
    ) {
        guard let value else { return }
        value.bytes.withUnsafeBytes { bytes in
            guard everyElement else { return body(value.range, bytes) }
            guard bytes[value.range.lowerBound] == UInt8(ascii: "[") else { return }
            JSONElements.forEach(value.range, of: bytes) { body($0, bytes) }
        }
    }
}

extension RulePointer {
    /// Returns true if two versions of a resource have the same bytes at the pointer, or both none.
    func readsAlike(_ old: OutlinedResource, _ new: OutlinedResource) -> Bool {
        let (left, right) = (old.range(at: self), new.range(at: self))
        guard let left, let right else { return left == nil && right == nil }
        return old.bytes.withUnsafeBytes { old in
            new.bytes.withUnsafeBytes { new in
                ByteOrder.equal(
                    UnsafeRawBufferPointer(rebasing: old[left]), UnsafeRawBufferPointer(rebasing: new[right]))
            }
        }
    }
}
