import TidemarkModel

extension SelectionSets {
    /// Returns a number for each set. Sets whose fields can meet at one path in an object of the response have the same
    /// number.
    ///
    /// - Complexity: O(fields with fragments spread), which the limits of a document bound.
    func classes(from roots: [Int]) -> [Int] {
        var classes = SetClasses(count: all.count)
        for root in roots { meet([definitions[root]], &classes) }
        return all.indices.map { classes.root(of: $0) }
    }

    private func meet(_ sets: [Int], _ classes: inout SetClasses) {
        var names: [ByteString] = []
        var groups: [ByteString: [Int]] = [:]
        for set in sets {
            classes.unite(set, sets[0])
            collect(set, &names, &groups, &classes)
        }
        for name in names {
            guard let group = groups[name], !group.isEmpty else { continue }
            meet(group, &classes)
        }
    }

    private func collect(
        _ set: Int, _ names: inout [ByteString], _ groups: inout [ByteString: [Int]], _ classes: inout SetClasses
    ) {
        for member in all[set].members {
            switch member {
            case .field(let field, let inner):
                guard let inner else { continue }
                if groups[field.responseName] == nil { names.append(field.responseName) }
                groups[field.responseName, default: []].append(inner)
            case .inline(let inner):
                classes.unite(inner, set)
                collect(inner, &names, &groups, &classes)
            case .spread(let name):
                guard let inner = fragments[name] else { continue }
                classes.unite(inner, set)
                collect(inner, &names, &groups, &classes)
            }
        }
    }

    /// Returns the sets that select root fields: the operations' own, and those of fragments at that level.
    func rootLevel() -> Set<Int> {
        var found: Set<Int> = []
        var waiting = definitions.filter { all[$0].owner == .operation }
        while let set = waiting.popLast() {
            guard found.insert(set).inserted else { continue }
            for member in all[set].members {
                switch member {
                case .field: break
                case .inline(let inner): waiting.append(inner)
                case .spread(let name): if let inner = fragments[name] { waiting.append(inner) }
                }
            }
        }
        return found
    }
}

/// Sets that belong together, as a union-find structure.
private struct SetClasses {
    private var parents: [Int]

    init(count: Int) {
        parents = Array(0..<count)
    }

    mutating func root(of set: Int) -> Int {
        var root = set
        while parents[root] != root {
            parents[root] = parents[parents[root]]
            root = parents[root]
        }
        return root
    }

    mutating func unite(_ left: Int, _ right: Int) {
        let (left, right) = (root(of: left), root(of: right))
        if left != right { parents[max(left, right)] = min(left, right) }
    }
}
