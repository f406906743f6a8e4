import TidemarkModel

extension DocumentValidator {
    /// Sections 5.5.1.4, 5.5.2.1 and 5.5.2.2: fragments that are spread exist, existing ones are spread, and none is
    /// spread inside itself.
    ///
    /// - Returns: True if a fragment is spread inside itself.
    mutating func checkFragments() -> Bool {
        for spread in outline.spreads.joined() where outline.fragmentIndices[spread.name.text] == nil {
            findings.append(
                .unknownFragment,
                "There is no fragment \(DocumentValidator.excerpt(spread.name.text)); define it, or spread another.",
                at: spread.name.place)
        }
        if purpose == .operations { checkUse() }
        var visits = [Visit](repeating: .waiting, count: outline.definitions.count)
        var hasCycles = false
        for index in outline.fragments { hasCycles = findCycles(from: index, &visits) || hasCycles }
        return hasCycles
    }

    private mutating func checkUse() {
        var used: Set<Int> = []
        var waiting = outline.operations
        while let index = waiting.popLast() {
            for spread in outline.spreads[index] {
                guard let fragment = outline.fragmentIndices[spread.name.text], used.insert(fragment).inserted else {
                    continue
                }
                waiting.append(fragment)
            }
        }
        for index in outline.fragments where !used.contains(index) {
            let name = outline.fragment(index).name
            // The second of two fragments with one name is reported by another rule.
            guard outline.fragmentIndices[name.text] == index else { continue }
            findings.append(
                .unusedFragment,
                "No operation spreads the fragment \(DocumentValidator.excerpt(name.text)); spread it, or remove it.",
                at: name.place)
        }
    }

    private enum Visit {
        case waiting
        case underWay
        case done
    }

    /// Reports spreads that lead back to a fragment. Recursion is as deep as fragments are nested, which the limit of
    /// levels bounds.
    private mutating func findCycles(from index: Int, _ visits: inout [Visit]) -> Bool {
        guard case .waiting = visits[index] else { return false }
        visits[index] = .underWay
        var hasCycles = false
        for spread in outline.spreads[index] {
            guard let fragment = outline.fragmentIndices[spread.name.text] else { continue }
            switch visits[fragment] {
            case .underWay:
                hasCycles = true
                findings.append(
                    .fragmentCycle,
                    "The fragment \(DocumentValidator.excerpt(spread.name.text)) is spread inside itself; break the cycle.",
                    at: spread.place)
            case .waiting: hasCycles = findCycles(from: fragment, &visits) || hasCycles
            case .done: break
            }
        }
        visits[index] = .done
        return hasCycles
    }
}
