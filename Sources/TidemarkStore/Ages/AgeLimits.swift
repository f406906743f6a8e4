import TidemarkJSON
import TidemarkModel

/// The age limits of a resource's top-level fields in one read, including the limits of nested fields.
///
/// - Source: Protocol/policy.md, effective rules.
struct AgeLimits {
    let policy: CachePolicy
    let operation: OperationAges
    let type: ByteString
    private let root: AgeLimit

    init(policy: CachePolicy, operation: OperationAges, type: ByteString) {
        self.policy = policy
        self.operation = operation
        self.type = type
        root = policy.rootLimit(of: type, operation: operation)
    }

    /// Calls `body` for each selected field that has a limit. Absent fields have none.
    ///
    /// - Parameters:
    ///   - resource: One validated object.
    ///   - fields: The unescaped names of the selected fields; nil selects all.
    ///   - body: Receives the field's name and its least limit.
    /// - Complexity: O(resource): composite fields are scanned whole, because nested fields have limits of their own.
    func forEachLimit(
        of resource: UnsafeRawBufferPointer, fields: Set<[UInt8]>?, _ body: (ByteString, AgeLimit) -> Void
    ) {
        let object = JSONObject(resource, range: 0..<resource.count)
        for member in object.members {
            let name = object.unescapedName(member)
            if let fields, !fields.contains(name) { continue }
            let field = ByteString(name)
            let limit = least(of: field, in: type, reachedWith: root, member.value, of: resource)
            if limit.seconds != nil { body(field, limit) }
        }
    }

    /// Returns the least limit among a field and everything nested in its value.
    private func least(
        of field: ByteString, in type: ByteString, reachedWith parent: AgeLimit, _ value: Range<Int>,
        of bytes: UnsafeRawBufferPointer
    ) -> AgeLimit {
        let limit = policy.limit(of: field, in: type, reachedWith: parent, operation: operation)
        guard case .composite(let target) = policy.field(field, of: type)?.target else { return limit }
        return AgeLimits.least(limit, nested(in: target, reachedWith: limit, value, of: bytes))
    }

    /// Returns the least limit among the fields of an object, or of each object in a list. `Limits` bounds the nesting.
    private func nested(
        in type: ByteString, reachedWith limit: AgeLimit, _ value: Range<Int>, of bytes: UnsafeRawBufferPointer
    ) -> AgeLimit {
        var least = AgeLimit.unlimited
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "{"):
            let object = JSONObject(bytes, range: value)
            for member in object.members {
                let field = ByteString(object.unescapedName(member))
                least = AgeLimits.least(
                    least, self.least(of: field, in: type, reachedWith: limit, member.value, of: bytes))
            }
        case UInt8(ascii: "["):
            var cursor = JSONCursor(bytes, at: value.lowerBound + 1)
            while cursor.byte != UInt8(ascii: "]") {
                least = AgeLimits.least(least, nested(in: type, reachedWith: limit, cursor.value(), of: bytes))
                if cursor.byte == UInt8(ascii: ",") { cursor.step() }
            }
        default: break
        }
        return least
    }

    private static func least(_ left: AgeLimit, _ right: AgeLimit) -> AgeLimit {
        guard let other = right.seconds else { return left }
        guard let own = left.seconds else { return right }
        return other < own ? right : left
    }
}
