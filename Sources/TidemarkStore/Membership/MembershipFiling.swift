/// Keys of which a resource meets at least one if it fulfils a rule.
struct MembershipFiling: Hashable, Sendable {
    /// Keys of one filing. More would cost more to keep than they save.
    static let keyCountMax = 16
    /// Filings that are weighed against each other for one rule.
    static let choiceCountMax = 8

    enum Key: Hashable, Sendable {
        /// The value at a pointer has this fingerprint.
        case value(JSONPointer, Int)
        /// A path at a pointer, or an alternate, lies in the directory with this fingerprint.
        case path(JSONPointer, Int, isRecursive: Bool)
    }

    /// None when the rule can never be fulfilled.
    let keys: [Key]

    /// The filings that a rule's conjuncts allow, the narrower kinds first.
    ///
    /// - Returns: None when no conjunct narrows the rule.
    static func choices(predicate: Predicate, scope: MembershipScope?) -> [MembershipFiling] {
        var choices: [MembershipFiling] = []
        collect(predicate, &choices)
        // In the order they were written, those with one key before those with more.
        var ranked = choices.filter { $0.keys.count <= 1 } + choices.filter { $0.keys.count > 1 }
        ranked = Array(ranked.prefix(choiceCountMax))
        if let scope {
            ranked.append(
                MembershipFiling(keys: [
                    .path(
                        scope.pointer, Fingerprint.directory(scope.directory), isRecursive: scope.isRecursive)
                ]))
        }
        return ranked
    }

    private static func collect(_ predicate: Predicate, _ choices: inout [MembershipFiling]) {
        switch predicate {
        case .all(let members):
            for member in members { collect(member, &choices) }
        case .any(let members):
            guard let filing = union(members) else { return }
            choices.append(filing)
        case .not:
            return
        case .test(let pointer, .equal(let code)):
            choices.append(MembershipFiling(keys: [.value(pointer, Fingerprint.value(code))]))
        case .test(let pointer, .oneOf(let codes)):
            guard codes.count <= keyCountMax else { return }
            choices.append(MembershipFiling(keys: codes.map { .value(pointer, Fingerprint.value($0)) }))
        case .test:
            return
        }
    }

    /// One filing for predicates of which one holds, if each of them has one.
    private static func union(_ members: [Predicate]) -> MembershipFiling? {
        var keys: [Key] = []
        for member in members {
            var choices: [MembershipFiling] = []
            collect(member, &choices)
            guard let least = choices.min(by: { $0.keys.count < $1.keys.count }) else { return nil }
            keys += least.keys
            guard keys.count <= keyCountMax else { return nil }
        }
        return MembershipFiling(keys: keys)
    }
}
