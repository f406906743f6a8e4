import TidemarkModel

/// The conditions of a rule on single fields, as ranges of codes: for finding entities by a field.
///
/// An entity that fulfils the rule is in the ranges of every field; not every entity in the ranges fulfils the rule.
public struct FieldConstraint: Sendable {
    /// The number of fields that are considered; conditions on further fields are ignored.
    package static let fieldCountMax = 64

    /// The ranges by the pointer's text; they ascend and do not touch. An empty array: no entity fulfils the rule.
    package private(set) var ranges: [ByteString: [CodeRange]] = [:]

    /// Whether there is no condition on a single field.
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

    /// Returns the ranges at a pointer for which a condition can hold.
    ///
    /// - Returns: nil when every value may fulfil it.
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
    /// The conditions of `where` on single fields.
    ///
    /// - Complexity: O(fields · predicates), and sorting the operands.
    package var constraint: FieldConstraint { FieldConstraint(predicate) }

    /// Whether every resource of the type belongs to the list.
    package var takesAll: Bool {
        if case .all(let members) = predicate { members.isEmpty && scope == nil } else { false }
    }

    /// The number of components of `order`.
    package var orderCount: Int { order.count }

    /// Returns whether the list's order by a field descends, when it begins with that field; nil when it begins with
    /// another one, or with none.
    package func leadingDirection(of path: FieldPath) -> Bool? {
        order.first.flatMap { $0.pointer == path.pointer ? $0.isDescending : nil }
    }

    /// Returns the kept code of the field that the order begins with; nil without an order.
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
