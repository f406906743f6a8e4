/// A set of keys for one rule: a resource that fulfils the rule has at least one of them.
struct MembershipFiling: Sendable {
    /// The most keys of one filing. More would cost more memory than they save time.
    static let keyCountMax = 16
    /// The most filings that are compared for one rule.
    static let choiceCountMax = 8

    enum Key: Sendable {
        /// The value at a pointer has this fingerprint.
        case value(RulePointer, Int)
        /// The first `byteCount` bytes of the code of the value at a pointer have this fingerprint.
        case prefix(RulePointer, byteCount: Int, Int)
        /// A path at a pointer, or an alternate path, is in the directory with this fingerprint.
        case path(RulePointer, Int, isRecursive: Bool)
    }

    /// The keys; empty if no resource can fulfil the rule.
    let keys: [Key]

    /// Returns the filings that follow from the conditions of a rule, more selective kinds first.
    ///
    /// - Returns: The filings; empty if no condition narrows the candidates.
    static func choices(predicate: Predicate, scope: MembershipScope?) -> [MembershipFiling] {
        var conjuncts = Conjuncts()
        conjuncts.add(predicate)
        var choices = conjuncts.single + conjuncts.several + conjuncts.ranges.compactMap(\.filing)
        choices = Array(choices.prefix(choiceCountMax))
        if let scope {
            let directory = Fingerprint.directory(scope.directory)
            choices.append(
                MembershipFiling(keys: [.path(scope.pointer, directory, isRecursive: scope.isRecursive)]))
        }
        return choices
    }

    /// Returns one filing for alternatives of which one must hold; nil unless each alternative has a filing.
    fileprivate static func union(_ members: [Predicate]) -> MembershipFiling? {
        var keys: [Key] = []
        for member in members {
            let choices = choices(predicate: member, scope: nil)
            guard let least = choices.min(by: { $0.keys.count < $1.keys.count }) else { return nil }
            keys += least.keys
            guard keys.count <= keyCountMax else { return nil }
        }
        return MembershipFiling(keys: keys)
    }
}

extension MembershipFiling {
    /// The codes between two bounds at one pointer. They all begin with the common part of the bounds.
    fileprivate struct ValueRange {
        let pointer: RulePointer
        /// The bounds as codes; both are the prefix's own code for a prefix.
        var lower: [UInt8]?
        var upper: [UInt8]?

        var filing: MembershipFiling? {
            guard let lower, let upper else { return nil }
            let common = Array(
                zip(lower, upper).prefix { $0 == $1 }.map { $0.0 }.prefix(Fingerprint.prefixByteCountMax))
            // A kind byte alone narrows nothing.
            guard common.count > 1 else { return nil }
            return MembershipFiling(keys: [.prefix(pointer, byteCount: common.count, Fingerprint.prefix(common[...]))])
        }
    }

    /// Collects the filings of conditions that must all hold.
    fileprivate struct Conjuncts {
        /// The most pointers whose bounds are tracked.
        static let rangeCountMax = 16

        /// The filings with one key or none.
        var single: [MembershipFiling] = []
        /// The filings with several keys.
        var several: [MembershipFiling] = []
        var ranges: [ValueRange] = []

        mutating func add(_ predicate: Predicate) {
            switch predicate {
            case .all(let members):
                for member in members { add(member) }
            case .any(let members):
                if let filing = MembershipFiling.union(members) { add(filing) }
            case .not, .test(_, .notEqual), .test(_, .exists):
                return
            case .test(let pointer, .equal(let code)):
                add(MembershipFiling(keys: [.value(pointer, Fingerprint.value(code))]))
            case .test(let pointer, .oneOf(let codes)):
                guard codes.count <= keyCountMax else { return }
                add(MembershipFiling(keys: codes.map { .value(pointer, Fingerprint.value($0)) }))
            case .test(let pointer, .ordered(.less, let code)), .test(let pointer, .ordered(.lessOrEqual, let code)):
                changeRange(of: pointer) { $0.upper = code }
            case .test(let pointer, .ordered(.greater, let code)),
                .test(let pointer, .ordered(.greaterOrEqual, let code)):
                changeRange(of: pointer) { $0.lower = code }
            case .test(let pointer, .prefix(let text)):
                let code = ValueCode.prefix(text)
                // A prefix has its own range: combined with another bound it could become less exact.
                ranges.append(ValueRange(pointer: pointer, lower: code, upper: code))
            }
        }

        private mutating func add(_ filing: MembershipFiling) {
            if filing.keys.count <= 1 { single.append(filing) } else { several.append(filing) }
        }

        private mutating func changeRange(of pointer: RulePointer, _ body: (inout ValueRange) -> Void) {
            if let index = ranges.firstIndex(where: { $0.pointer == pointer && ($0.lower == nil || $0.upper == nil) }) {
                body(&ranges[index])
            } else if ranges.count < Conjuncts.rangeCountMax {
                ranges.append(ValueRange(pointer: pointer))
                body(&ranges[ranges.count - 1])
            }
        }
    }
}
