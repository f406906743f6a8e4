extension MembershipCandidates {
    /// Returns true if every pointer and length of a filing is already used, or can still be added within the bounds.
    func hasRoom(for filing: MembershipFiling) -> Bool {
        var newValues: Set<RulePointer> = []
        var newPaths: Set<RulePointer> = []
        var newLengths: [RulePointer: Set<Int>] = [:]
        for key in filing.keys {
            switch key {
            case .value(let pointer, _):
                if entry(for: pointer) == nil { newValues.insert(pointer) }
            case .prefix(let pointer, let byteCount, _):
                let known = entry(for: pointer)
                if known == nil { newValues.insert(pointer) }
                if known?.prefixes.contains(where: { $0.byteCount == byteCount }) == true { continue }
                newLengths[pointer, default: []].insert(byteCount)
                let count = (known?.prefixes.count ?? 0) + (newLengths[pointer]?.count ?? 0)
                if count > MembershipCandidates.prefixLengthCountMax { return false }
            case .path(let pointer, _, _):
                if !paths.contains(where: { $0.pointer == pointer }) { newPaths.insert(pointer) }
            }
        }
        return values.count + newValues.count <= MembershipCandidates.valuePointerCountMax
            && paths.count + newPaths.count <= MembershipCandidates.pathPointerCountMax
    }

    private func entry(for pointer: RulePointer) -> Values? { values.first { $0.pointer == pointer } }

    /// Returns the largest number of queries under one of the keys; -1 for a filing without keys, which costs nothing.
    func load(of filing: MembershipFiling) -> Int {
        filing.keys.map { queries(under: $0)?.queries.count ?? 0 }.max() ?? -1
    }

    func queries(under key: MembershipFiling.Key) -> QueryPostings? {
        switch key {
        case .value(let pointer, let fingerprint):
            entry(for: pointer)?.queries[fingerprint]
        case .prefix(let pointer, let byteCount, let fingerprint):
            entry(for: pointer)?.prefixes.first { $0.byteCount == byteCount }?.queries[fingerprint]
        case .path(let pointer, let fingerprint, let isRecursive):
            paths.first { $0.pointer == pointer }.flatMap {
                isRecursive ? $0.recursive[fingerprint] : $0.direct[fingerprint]
            }
        }
    }

    /// Changes the queries under a key. Adds the key's entry if there is none, and removes it once it is empty.
    mutating func change(_ key: MembershipFiling.Key, _ body: (inout QueryPostings) -> Void) {
        switch key {
        case .value(let pointer, let fingerprint):
            changeValues(at: pointer) { MembershipCandidates.change(&$0.queries, fingerprint, body) }
        case .prefix(let pointer, let byteCount, let fingerprint):
            changeValues(at: pointer) { entry in
                let index = entry.prefixes.firstIndex { $0.byteCount == byteCount } ?? entry.prefixes.count
                if index == entry.prefixes.count { entry.prefixes.append(Prefixes(byteCount: byteCount)) }
                MembershipCandidates.change(&entry.prefixes[index].queries, fingerprint, body)
                if entry.prefixes[index].queries.isEmpty { entry.prefixes.remove(at: index) }
            }
        case .path(let pointer, let fingerprint, let isRecursive):
            let index = paths.firstIndex { $0.pointer == pointer } ?? paths.count
            if index == paths.count { paths.append(Paths(pointer: pointer)) }
            if isRecursive {
                MembershipCandidates.change(&paths[index].recursive, fingerprint, body)
            } else {
                MembershipCandidates.change(&paths[index].direct, fingerprint, body)
            }
            if paths[index].isEmpty { paths.remove(at: index) }
        }
    }

    private mutating func changeValues(at pointer: RulePointer, _ body: (inout Values) -> Void) {
        let index = values.firstIndex { $0.pointer == pointer } ?? values.count
        if index == values.count { values.append(Values(pointer: pointer)) }
        body(&values[index])
        if values[index].isEmpty { values.remove(at: index) }
    }

    private static func change(
        _ table: inout [Int: QueryPostings], _ fingerprint: Int, _ body: (inout QueryPostings) -> Void
    ) {
        body(&table[fingerprint, default: QueryPostings()])
        if table[fingerprint]?.isEmpty == true { table[fingerprint] = nil }
    }
}
