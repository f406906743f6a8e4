/// An index over the rules of one library's queries of one type. It finds the queries whose rule an entity may fulfil,
/// without evaluating the others.
///
/// A rule is filed under one condition that must hold: a value at a pointer, one of a few values, the beginning of a
/// value (a prefix, or the common part of two bounds), or a directory. An entity's values and directories are then
/// looked up, instead of the rules being evaluated. Among several conditions, the one with the fewest queries so far is
/// chosen: ten thousand lists of one kind in ten thousand directories are filed under their directories, whatever else
/// their rules demand.
///
/// Memory: 4 bytes for each query and key, and a table entry for each distinct key. The owner bounds the queries.
///
/// - Source: docs/decisions/0008-query-index.md: cost must not grow with the number of unrelated queries.
package struct MembershipCandidates: Sendable {
    /// The most distinct pointers under whose values rules are filed. Each is one lookup for every entity. A rule that
    /// needs another pointer is evaluated for every entity.
    static let valuePointerCountMax = 64
    /// The most distinct lengths of beginnings under one pointer. Each is one fingerprint for every entity.
    static let prefixLengthCountMax = 64
    /// The most distinct pointers to paths. Each is one lookup for every entity.
    static let pathPointerCountMax = 16

    /// The rules that are filed under values at one pointer.
    struct Values {
        let pointer: RulePointer
        /// The queries by the value's fingerprint; no entry is empty.
        var queries: [Int: QueryPostings] = [:]
        /// The queries by the beginning of the value's code: one element for each length.
        var prefixes: [Prefixes] = []

        var isEmpty: Bool { queries.isEmpty && prefixes.isEmpty }
    }

    /// The rules that are filed under beginnings of one length.
    struct Prefixes {
        let byteCount: Int
        /// The queries by the beginning's fingerprint; no entry is empty.
        var queries: [Int: QueryPostings] = [:]
    }

    /// The rules that are filed under directories of the paths at one pointer.
    struct Paths {
        let pointer: RulePointer
        /// The queries by the fingerprint of the directory that must directly contain a path; no entry is empty.
        var direct: [Int: QueryPostings] = [:]
        /// The queries by the fingerprint of the directory that must contain a path at any depth; no entry is empty.
        var recursive: [Int: QueryPostings] = [:]
    }

    var values: [Values] = []
    var paths: [Paths] = []
    /// The queries that are evaluated for every entity, because no key narrows their rules.
    var unfiled = QueryPostings()

    /// Creates an empty index.
    package init() {}

    /// True if no entity can have a candidate.
    package var isEmpty: Bool { values.isEmpty && paths.isEmpty && unfiled.isEmpty }

    /// Files a query under its rule.
    ///
    /// - Parameters:
    ///   - query: A query that is not filed yet, or is filed with the same rule.
    ///   - membership: The query's rule.
    /// - Complexity: O(filings of the rule), plus O(n) of copied memory for the n queries under the same key.
    package mutating func insert(_ query: QueryID, _ membership: Membership) {
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

    /// Removes a query. No effect if it is not filed.
    ///
    /// - Parameter membership: The rule with which it was filed.
    package mutating func remove(_ query: QueryID, _ membership: Membership) {
        unfiled.remove(query)
        // The index does not store which filing was chosen at insertion.
        for filing in membership.filings {
            for key in filing.keys where queries(under: key)?.contains(query) == true {
                change(key) { $0.remove(query) }
            }
        }
    }

    /// Returns the queries whose rule a resource may fulfil: all whose rule it does fulfil, and few others.
    ///
    /// - Parameter resource: One validated object without insignificant white space.
    /// - Returns: The queries, each once, ascending.
    /// - Complexity: O(resource.count + distinct pointers · members + candidates · log candidates), for any number of
    ///   queries.
    package func candidates(for resource: UnsafeRawBufferPointer) -> [QueryID] {
        guard !values.isEmpty || !paths.isEmpty else { return unfiled.queries }
        return candidates(for: ResourceView(resource))
    }

    /// Returns the queries whose rule a resource may fulfil. Use this form if rules are evaluated over the resource
    /// next.
    ///
    /// - Complexity: O(distinct pointers · members + candidates · log candidates), for any number of queries.
    package func candidates(for resource: ResourceView) -> [QueryID] {
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

    private static func ascending(_ queries: [QueryID]) -> [QueryID] {
        var result: [QueryID] = []
        result.reserveCapacity(queries.count)
        for query in queries.sorted() where query != result.last { result.append(query) }
        return result
    }
}

extension MembershipCandidates.Paths {
    var isEmpty: Bool { direct.isEmpty && recursive.isEmpty }

    /// Calls `body` with the queries that are filed under the directories above a path.
    func forEachPostings(above path: ScopePath, _ body: (QueryPostings?) -> Void) {
        func visit(_ device: [UInt8]?) {
            Fingerprint.forEachDirectory(on: device, path.components) { fingerprint, isParent in
                if isParent, !direct.isEmpty { body(direct[fingerprint]) }
                if !recursive.isEmpty { body(recursive[fingerprint]) }
            }
        }
        // A rule without a device applies to every device.
        visit(nil)
        if path.device != nil { visit(path.device) }
    }
}
