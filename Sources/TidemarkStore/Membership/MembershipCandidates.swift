/// The queries of one library and type whose rule an entity may fulfil, found without looking at the others.
///
/// A rule is filed under one conjunct that it cannot be fulfilled without: a value at a pointer, a few values, how
/// a value begins (a prefix, or what two bounds have in common), or a directory. An entity's values and directories are then looked up, not the rules. Which conjunct, is a matter of what
/// is filed already: of those that a rule offers, the one whose queries are fewest. Ten thousand lists of one kind in
/// ten thousand directories so end up under their directories, whatever they say of the kind.
///
/// Memory: 4 bytes a query and filing key, and a table entry for each distinct key. The number of queries is bounded by
/// their owner.
/// - Source: docs/decisions/0008-query-index.md: cost must not grow with the number of unrelated queries.
package struct MembershipCandidates: Sendable {
    /// Distinct pointers that values are filed under, each a walk through every entity; a rule that would need another
    /// one is looked at for every entity.
    static let valuePointerCountMax = 64
    /// Distinct lengths of beginnings that are filed under one pointer, each a fingerprint for every entity.
    static let prefixLengthCountMax = 64
    /// Distinct pointers to paths, likewise.
    static let pathPointerCountMax = 16

    /// Rules filed under the values at one pointer.
    struct Values {
        let pointer: JSONPointer
        /// By the fingerprint of the value; none is empty.
        var queries: [Int: QueryPostings] = [:]
        /// By the beginning of the value's code; no two of one length.
        var prefixes: [Prefixes] = []

        var isEmpty: Bool { queries.isEmpty && prefixes.isEmpty }
    }

    /// Rules filed under beginnings of one length.
    struct Prefixes {
        let byteCount: Int
        /// By the fingerprint of the beginning; none is empty.
        var queries: [Int: QueryPostings] = [:]
    }

    /// Rules filed under the directories of the paths at one pointer.
    struct Paths {
        let pointer: JSONPointer
        /// By the fingerprint of the directory that a path must lie in directly; none is empty.
        var direct: [Int: QueryPostings] = [:]
        /// By the fingerprint of a directory that a path must lie in, however deep; none is empty.
        var recursive: [Int: QueryPostings] = [:]
    }

    var values: [Values] = []
    var paths: [Paths] = []
    /// Rules that no key narrows.
    var unfiled = QueryPostings()

    package init() {}

    /// Whether no entity has a candidate.
    package var isEmpty: Bool { values.isEmpty && paths.isEmpty && unfiled.isEmpty }

    /// Files a query's rule.
    ///
    /// - Parameter query: Not here yet, or with the same rule.
    /// - Complexity: O(filings of the rule), and O(n) of one copy of memory for the n queries beside it.
    package mutating func insert(_ query: UInt32, _ membership: Membership) {
        var best: MembershipFiling?
        var bestLoad = Int.max
        for filing in membership.filings where hasRoom(for: filing) {
            let load = load(of: filing)
            if load < bestLoad { (best, bestLoad) = (filing, load) }
        }
        guard let best else {
            unfiled.insert(query)
            return
        }
        for key in best.keys { change(key) { $0.insert(query) } }
    }

    /// Takes a query out; does nothing when it is not there.
    ///
    /// - Parameter membership: The rule it was inserted with.
    package mutating func remove(_ query: UInt32, _ membership: Membership) {
        unfiled.remove(query)
        // Which filing was the best one then is not kept.
        for filing in membership.filings {
            for key in filing.keys where queries(under: key)?.contains(query) == true {
                change(key) { $0.remove(query) }
            }
        }
    }

    /// The queries whose rule a resource may fulfil: every one that it does fulfil, and few others.
    ///
    /// - Parameter resource: One validated object without insignificant white space.
    /// - Returns: Each once, in ascending order.
    /// - Complexity: O(resource.count + distinct pointers · members + candidates · log candidates), however many queries
    ///   there are.
    package func candidates(for resource: UnsafeRawBufferPointer) -> [UInt32] {
        guard !values.isEmpty || !paths.isEmpty else { return unfiled.queries }
        return candidates(for: ResourceView(resource))
    }

    /// As ``candidates(for:)-(UnsafeRawBufferPointer)``, for a resource whose rules are asked next.
    ///
    /// - Complexity: O(distinct pointers · members + candidates · log candidates), however many queries there are.
    package func candidates(for resource: ResourceView) -> [UInt32] {
        var found = unfiled.queries
        var sourceCount = found.isEmpty ? 0 : 1
        func add(_ postings: QueryPostings?) {
            guard let postings else { return }
            found += postings.queries
            sourceCount += 1
        }
        var code: [UInt8] = []
        for entry in values {
            guard let value = resource.value(at: entry.pointer) else { continue }
            code.removeAll(keepingCapacity: true)
            ValueCode.appendOrdered(value, of: resource.bytes, to: &code)
            if !entry.queries.isEmpty { add(entry.queries[Fingerprint.value(code)]) }
            for prefixes in entry.prefixes where prefixes.byteCount <= code.count {
                add(prefixes.queries[Fingerprint.prefix(code[..<prefixes.byteCount])])
            }
        }
        for entry in paths {
            MembershipScope.forEachPath(of: resource, at: entry.pointer) { path in
                entry.forEachPostings(above: path, add)
            }
        }
        return sourceCount > 1 ? MembershipCandidates.ascending(found) : found
    }

    private static func ascending(_ queries: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(queries.count)
        for query in queries.sorted() where query != result.last { result.append(query) }
        return result
    }
}

extension MembershipCandidates.Paths {
    var isEmpty: Bool { direct.isEmpty && recursive.isEmpty }

    /// Visits what is filed under the directories that a path lies in.
    func forEachPostings(above path: ScopePath, _ body: (QueryPostings?) -> Void) {
        func visit(_ device: [UInt8]?) {
            Fingerprint.forEachDirectory(on: device, path.components) { fingerprint, isParent in
                if isParent, !direct.isEmpty { body(direct[fingerprint]) }
                if !recursive.isEmpty { body(recursive[fingerprint]) }
            }
        }
        // A rule without a device is for every device.
        visit(nil)
        if path.device != nil { visit(path.device) }
    }
}
