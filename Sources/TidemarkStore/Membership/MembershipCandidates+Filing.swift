extension MembershipCandidates {
    /// Whether each pointer of a filing is known or can still become so.
    func hasRoom(for filing: MembershipFiling) -> Bool {
        var newValues: Set<JSONPointer> = []
        var newPaths: Set<JSONPointer> = []
        for key in filing.keys {
            switch key {
            case .value(let pointer, _):
                if !values.contains(where: { $0.pointer == pointer }) { newValues.insert(pointer) }
            case .path(let pointer, _, _):
                if !paths.contains(where: { $0.pointer == pointer }) { newPaths.insert(pointer) }
            }
        }
        return values.count + newValues.count <= MembershipCandidates.valuePointerCountMax
            && paths.count + newPaths.count <= MembershipCandidates.pathPointerCountMax
    }

    /// The most queries that stand under one of the keys; -1 for a filing without keys, which costs nothing.
    func load(of filing: MembershipFiling) -> Int {
        filing.keys.map { queries(under: $0)?.queries.count ?? 0 }.max() ?? -1
    }

    func queries(under key: MembershipFiling.Key) -> QueryPostings? {
        switch key {
        case .value(let pointer, let fingerprint):
            values.first { $0.pointer == pointer }?.queries[fingerprint]
        case .path(let pointer, let fingerprint, let isRecursive):
            paths.first { $0.pointer == pointer }.flatMap {
                isRecursive ? $0.recursive[fingerprint] : $0.direct[fingerprint]
            }
        }
    }

    /// Changes what stands under a key; makes its place when it has none, drops it when nothing is left there.
    mutating func change(_ key: MembershipFiling.Key, _ body: (inout QueryPostings) -> Void) {
        switch key {
        case .value(let pointer, let fingerprint):
            let index = values.firstIndex { $0.pointer == pointer } ?? values.count
            if index == values.count { values.append(Values(pointer: pointer)) }
            MembershipCandidates.change(&values[index].queries, fingerprint, body)
            if values[index].queries.isEmpty { values.remove(at: index) }
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

    private static func change(
        _ table: inout [Int: QueryPostings], _ fingerprint: Int, _ body: (inout QueryPostings) -> Void
    ) {
        body(&table[fingerprint, default: QueryPostings()])
        if table[fingerprint]?.isEmpty == true { table[fingerprint] = nil }
    }
}
