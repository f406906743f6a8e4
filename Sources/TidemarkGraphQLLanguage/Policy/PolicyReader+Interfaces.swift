import TidemarkModel

extension PolicyReader {
    /// A rule, with the origin of its directive.
    struct Rule {
        var control: CacheControl
        var source: RuleSource
        /// The type, or the type and field, that has the directive; for messages.
        var owner: String
    }

    /// A type with its own rules and those it inherits from its interfaces.
    struct Resolved {
        var type: Rule?
        var fields: [(field: PolicyField, rule: Rule?)] = []
        var indices: [ByteString: Int] = [:]
    }

    /// Orders types so that interfaces precede the types that implement them. An interface that implements itself,
    /// directly or through others, is reported and left out.
    ///
    /// - Returns: The indices of `types` in this order, without those left out.
    mutating func implementationOrder() -> [Int] {
        var waiting = types.map(\.interfaces.count)
        var implementers: [[Int]] = Array(repeating: [], count: types.count)
        for index in types.indices {
            for name in types[index].interfaces {
                if let interface = indices[name.text] { implementers[interface].append(index) }
            }
        }
        var order = types.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for index in implementers[order[next]] {
                waiting[index] -= 1
                if waiting[index] == 0 { order.append(index) }
            }
            next += 1
        }
        for index in types.indices where waiting[index] > 0 && types[index].kind == .interface {
            errors.append(
                .interfaceCycle,
                "\(PolicyReader.excerpt(types[index].name.text)) implements itself, or an interface that does; "
                    + "break the cycle", at: types[index].name.place)
        }
        return order
    }

    /// Returns the interfaces of a type whose rules count. One that another of them implements does not count, because
    /// the other overrides it.
    func speakers(of type: PolicyType) -> [Int] {
        let all = type.interfaces.compactMap { indices[$0.text] }
        let overruled = Set(all.flatMap { types[$0].interfaces.map(\.text) })
        return all.filter { !overruled.contains(types[$0].name.text) }
    }

    /// Returns the rule that interfaces pass to a type or to one of its fields; nil if there is none, or the interfaces
    /// contradict each other.
    ///
    /// - Parameters:
    ///   - rules: The rules of those interfaces that have one.
    ///   - owner: The name of the type or field that inherits the rule.
    ///   - place: The place of an error about a contradiction.
    mutating func handed(_ rules: [Rule], to owner: String, at place: SourcePlace) -> Rule? {
        guard let first = rules.first else { return nil }
        if let other = rules.first(where: { !$0.control.agrees(with: first.control) }) {
            errors.append(
                .interfaceConflict,
                "\(owner) gets \(first.control.words) from \(first.owner) at "
                    + "\(PolicyReader.words(first.control.place)) and "
                    + "\(other.control.words) from \(other.owner) at \(PolicyReader.words(other.control.place)); "
                    + "give \(owner) a rule of its own", at: place)
            return nil
        }
        return first
    }

    private static func words(_ place: SourcePlace) -> String { "\(place.line):\(place.column)" }
}
