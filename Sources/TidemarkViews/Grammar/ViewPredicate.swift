import TidemarkStore

/// A condition over the values of several sources, of a row, or of a group.
indirect enum ViewPredicate: Sendable {
    case all([ViewPredicate])
    case any([ViewPredicate], place: String, text: [UInt8])
    case not(ViewPredicate, place: String, text: [UInt8])
    case test(ViewTest)

    /// The conditions that must all hold, one by one.
    var conjuncts: [ViewPredicate] {
        if case .all(let members) = self { members.flatMap(\.conjuncts) } else { [self] }
    }

    /// Calls `action` for every test.
    func forEachTest(_ action: (ViewTest) -> Void) {
        switch self {
        case .all(let members), .any(let members, _, _): members.forEach { $0.forEachTest(action) }
        case .not(let inner, _, _): inner.forEachTest(action)
        case .test(let test): action(test)
        }
    }

    /// Returns one predicate for several that must all hold; nil for none.
    static func joined(_ predicates: [ViewPredicate]) -> ViewPredicate? {
        predicates.count > 1 ? .all(predicates) : predicates.first
    }
}

/// One operator with its operand.
struct ViewTest: Sendable {
    enum Operator: String, Sendable, CaseIterable {
        case equal = "eq"
        case notEqual = "ne"
        case less = "lt"
        case lessOrEqual = "lte"
        case greater = "gt"
        case greaterOrEqual = "gte"
        case oneOf = "in"
        case exists, prefix
    }

    enum Operand: Sendable {
        case literal(ValueTest)
        case parameter(Int)
        case reference(ViewReference)
    }

    var reference: ViewReference
    var operation: Operator
    var operand: Operand
    /// The JSON Pointer to the predicate.
    var place: String
    /// The path, the operator and the operand as JSON, for explanations.
    var text: [UInt8]

    /// Calls `action` for the tested value, and for the value that is compared with it.
    func forEachReference(_ action: (ViewReference) -> Void) {
        action(reference)
        if case .reference(let other) = operand { action(other) }
    }
}
