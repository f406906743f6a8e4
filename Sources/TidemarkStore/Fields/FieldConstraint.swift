import TidemarkModel

/// What a rule asks of single fields, as ranges of their codes: for who can find entities by a field.
///
/// An entity that fulfils the rule lies in the ranges of every field; not every one that lies in them fulfils it.
package struct FieldConstraint: Sendable {
    /// Fields that are followed; what a rule asks of more is not looked at.
    package static let fieldCountMax = 64

    /// By the pointer's text; ranges ascend and do not meet. None: no entity fulfils the rule.
    package private(set) var ranges: [ByteString: [CodeRange]] = [:]

    /// Nothing is asked.
    package var isEmpty: Bool { ranges.isEmpty }

    init(_ predicate: Predicate) {
        var pointers: [ByteString: JSONPointer] = [:]
        FieldConstraint.collect(predicate, &pointers)
        for (text, pointer) in pointers {
            if let found = FieldConstraint.ranges(predicate, of: pointer) { ranges[text] = found }
        }
    }

    private static func collect(_ predicate: Predicate, _ pointers: inout [ByteString: JSONPointer]) {
        switch predicate {
        case .all(let members), .any(let members):
            for member in members { collect(member, &pointers) }
        case .not: return
        case .test(let pointer, _):
            if pointers.count < fieldCountMax { pointers[pointer.text] = pointer }
        }
    }

    /// - Returns: nil when every value may fulfil it.
    private static func ranges(_ predicate: Predicate, of pointer: JSONPointer) -> [CodeRange]? {
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
    /// What `where` asks of single fields.
    ///
    /// - Complexity: O(fields · predicates), and the order of the operands.
    package var constraint: FieldConstraint { FieldConstraint(predicate) }

    /// Whether every resource of the type belongs to the list.
    package var takesAll: Bool {
        if case .all(let members) = predicate { members.isEmpty && scope == nil } else { false }
    }

    /// Components of `order`.
    package var orderCount: Int { order.count }

    /// Where the list's order begins with a field's: whether downwards. nil when it begins with another's, or with none.
    package func leadingDirection(of path: FieldPath) -> Bool? {
        order.first.flatMap { $0.pointer == path.pointer ? $0.isDescending : nil }
    }

    /// The kept code of the field that the order begins with; nil without an order.
    package func leadingCode(of resource: ResourceView) -> [UInt8]? {
        order.first.map { component in
            var code: [UInt8] = []
            ValueCode.appendOrdered(resource.value(at: component.pointer), of: resource.bytes, to: &code)
            return FieldCode.kept(code)
        }
    }
}

extension JSONPointer {
    /// As RFC 6901 writes it.
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
