import TidemarkModel

/// What a rule demands of single fields, as ranges of codes. Indexes use it to find candidates.
///
/// Every entity that fulfils the rule is in the ranges of each field. The reverse does not hold: candidates must still
/// be tested with the rule.
public struct FieldConstraint: Sendable {
    /// How many fields are considered; conditions on further fields are ignored.
    package static let fieldCountMax = 64

    /// The ranges for each field, by the text of its pointer. They ascend and do not overlap. An empty array means that
    /// no entity fulfils the rule.
    package private(set) var ranges: [ByteString: [CodeRange]] = [:]

    /// True if the rule restricts no single field.
    package var isEmpty: Bool { ranges.isEmpty }

    init(_ predicate: Predicate) {
        var pointers: [ByteString: RulePointer] = [:]
        FieldConstraint.collect(predicate, &pointers)
        for (text, pointer) in pointers {
            if let found = FieldConstraint.ranges(predicate, of: pointer) { ranges[text] = found }
        }
    }

    private static func collect(_ predicate: Predicate, _ pointers: inout [ByteString: RulePointer]) {
        switch predicate {
        case .all(let members), .any(let members):
            for member in members { collect(member, &pointers) }
        case .not: return
        case .test(let pointer, _):
            if pointers.count < fieldCountMax { pointers[pointer.text] = pointer }
        }
    }

    /// Returns the codes of the values at a pointer for which a condition can hold.
    ///
    /// - Returns: nil when any value may fulfil the condition.
    private static func ranges(_ predicate: Predicate, of pointer: RulePointer) -> [CodeRange]? {
        switch predicate {
        case .all(let members):
            let all = members.compactMap { ranges($0, of: pointer) }
            guard let first = all.first else { return nil }
            return all.dropFirst().reduce(first) { CodeRange.intersection($0, $1) }
        case .any(let members):
            var all: [CodeRange] = []
            for member in members {
                guard let found = ranges(member, of: pointer) else { return nil }
                all += found
            }
            return CodeRange.union(all)
        case .not: return nil
        case .test(let tested, let test): return tested == pointer ? test.ranges : nil
        }
    }
}

extension Membership {
    /// What `where` demands of single fields.
    ///
    /// - Complexity: O(fields · predicates), plus sorting the operands.
    package var constraint: FieldConstraint { FieldConstraint(predicate) }

    /// True if every resource of the type belongs to the list: the rule has no condition and no scope.
    package var takesAll: Bool {
        if case .all(let members) = predicate { members.isEmpty && scope == nil } else { false }
    }

    /// The number of components of `order`.
    package var orderCount: Int { order.count }

    /// Returns true if the list's order begins with this field and descends, false if it begins with it and ascends.
    ///
    /// - Returns: nil if the order begins with another field, or there is no `order`.
    package func leadingDirection(of path: FieldPath) -> Bool? {
        order.first.flatMap { $0.pointer == path.pointer ? $0.isDescending : nil }
    }

    /// Returns the kept code of the field that `order` begins with; nil without `order`.
    package func leadingCode(of resource: ResourceView) -> [UInt8]? {
        order.first.map { component in
            var code: [UInt8] = []
            ValueCode.appendOrdered(resource.value(at: component.pointer), of: resource.bytes, to: &code)
            return FieldCode.kept(code)
        }
    }
}

extension RulePointer {
    /// The pointer in the form of RFC 6901.
    var text: ByteString {
        var text: [UInt8] = []
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            for byte in token.name {
                switch byte {
                case UInt8(ascii: "~"): text += "~0".utf8
                case UInt8(ascii: "/"): text += "~1".utf8
                default: text.append(byte)
                }
            }
        }
        return ByteString(text)
    }
}
