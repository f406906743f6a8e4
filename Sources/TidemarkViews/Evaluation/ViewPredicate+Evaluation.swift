import TidemarkStore

extension ViewPredicate {
    /// Returns true if the condition holds.
    ///
    /// - Parameters:
    ///   - binding: The parameters; nil if a walk serves many uses at once, and no test has a parameter.
    ///   - value: Returns the value of a reference; nil if there is none.
    func holds(_ binding: ViewBinding?, _ value: (ViewReference) -> ValueSlice?) -> Bool {
        switch self {
        case .all(let members): members.allSatisfy { $0.holds(binding, value) }
        case .any(let members, _, _): members.contains { $0.holds(binding, value) }
        case .not(let inner, _, _): !inner.holds(binding, value)
        case .test(let test): test.holds(binding, value)
        }
    }
}

extension ViewTest {
    func holds(_ binding: ViewBinding?, _ value: (ViewReference) -> ValueSlice?) -> Bool {
        switch operand {
        case .literal(let test): return test.holds(value(reference))
        case .parameter(let index): return binding?.test(operation, index)?.holds(value(reference)) ?? false
        case .reference(let other):
            // Without a value on the right only `ne` holds, as without one on the left.
            guard let operand = value(other) else { return operation == .notEqual }
            let test = operand.bytes.withUnsafeBytes { ViewTest.test(operation, operand.range, of: $0) }
            return test?.holds(value(reference)) ?? false
        }
    }

    /// True if the test compares with a parameter.
    var hasParameter: Bool {
        if case .parameter = operand { true } else { false }
    }
}

extension ValueTest {
    fileprivate func holds(_ value: ValueSlice?) -> Bool {
        guard let value else { return [].withUnsafeBytes { holds(for: nil, of: $0) } }
        return value.bytes.withUnsafeBytes { holds(for: value.range, of: $0) }
    }
}

extension ViewPredicate {
    /// True if a test inside compares with a parameter.
    var hasParameter: Bool {
        var found = false
        forEachTest { if $0.hasParameter { found = true } }
        return found
    }

    /// True if every value that the condition reads is of one source, and no parameter is in it.
    func isStatic(on slot: Int) -> Bool {
        var isStatic = !hasParameter
        forEachTest { test in
            test.forEachReference { reference in
                if case .source(let path) = reference, path.slot == slot { return }
                isStatic = false
            }
        }
        return isStatic
    }

    /// The condition as text: the same for equal conditions on the same source.
    var text: [UInt8] {
        switch self {
        case .all(let members): members.flatMap { $0.text + [UInt8(ascii: " ")] }
        case .any(_, _, let text), .not(_, _, let text): text
        case .test(let test): test.text
        }
    }
}
