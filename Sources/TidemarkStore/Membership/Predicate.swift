/// A condition in the `where` of a membership rule.
indirect enum Predicate: Sendable {
    case all([Predicate])
    case any([Predicate])
    case not(Predicate)
    case test(RulePointer, ValueTest)

    /// Returns true if a resource fulfils the condition.
    ///
    /// - Complexity: O(predicates · members), plus the values that they lead to.
    func matches(_ resource: ResourceView) -> Bool {
        switch self {
        case .all(let members): members.allSatisfy { $0.matches(resource) }
        case .any(let members): members.contains { $0.matches(resource) }
        case .not(let inner): !inner.matches(resource)
        case .test(let pointer, let test): test.holds(for: resource.value(at: pointer), of: resource.bytes)
        }
    }
}
