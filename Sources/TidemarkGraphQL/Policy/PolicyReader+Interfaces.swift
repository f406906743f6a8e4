import TidemarkModel

extension PolicyReader {
    /// A rule, and whose directive it is.
    struct Rule {
        var control: CacheControl
        var source: RuleSource
        /// Of a field: the type and field, of a type its name, where the directive stands; for messages.
        var owner: String
    }

    /// A type with its rules and its interfaces' worked into it.
    struct Resolved {
        var type: Rule?
        var fields: [(field: PolicyField, rule: Rule?)] = []
        var indices: [ByteString: Int] = [:]
    }

    /// Interfaces before those that implement them; noted and left out are those that lead back to themselves.
    ///
    /// - Returns: Indices of `types`, all but the left out.
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
                    + "break the circle", at: types[index].name.place)
        }
        return order
    }

    /// The interfaces of a type that speak for themselves: one that another of them implements is overruled by that.
    func speakers(of type: PolicyType) -> [Int] {
        let all = type.interfaces.compactMap { indices[$0.text] }
        let overruled = Set(all.flatMap { types[$0].interfaces.map(\.text) })
        return all.filter { !overruled.contains(types[$0].name.text) }
    }

    /// The rule that interfaces hand to one of their implementers, or to a field of it.
    ///
    /// - Parameters:
    ///   - rules: Of the interfaces that have one.
    ///   - owner: Who gets it.
    ///   - place: Where to say that they disagree.
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
