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
    func keys(id: ByteString, resource: [UInt8], types: [ByteString: ByteString]) -> JoinKeys {
        var keys = JoinKeys()
        var seen: Set<ByteString> = []
        switch self {
        case .nothing: break
        case .identity: return JoinKeys(id)
        case .values(let pointer, let everyElement):
            forEachValue(at: pointer, everyElement, in: resource) { value, bytes in
                guard bytes[value.lowerBound] != UInt8(ascii: "n") else { return }
                keys.insert(ByteString(ValueCode.exact(value, of: bytes)), &seen)
            }
        case .references(let pointer, let everyElement, let target):
            forEachValue(at: pointer, everyElement, in: resource) { value, bytes in
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

    private func forEachValue(
        at pointer: RulePointer, _ everyElement: Bool, in resource: [UInt8],
        _ body: (Range<Int>, UnsafeRawBufferPointer) -> Void
    ) {
        resource.withUnsafeBytes { bytes in
            guard let value = pointer.value(in: bytes) else { return }
            guard everyElement else { return body(value, bytes) }
            guard bytes[value.lowerBound] == UInt8(ascii: "[") else { return }
            JSONElements.forEach(value, of: bytes) { body($0, bytes) }
        }
    }
}

extension RulePointer {
    /// Returns true if two versions of a resource have the same bytes at the pointer, or both none.
    func readsAlike(_ old: [UInt8], _ new: [UInt8]) -> Bool {
        old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                guard let left = value(in: old), let right = value(in: new) else {
                    return value(in: old) == nil && value(in: new) == nil
                }
                return ByteOrder.equal(
                    UnsafeRawBufferPointer(rebasing: old[left]), UnsafeRawBufferPointer(rebasing: new[right]))
            }
        }
    }
}
