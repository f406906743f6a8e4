extension MembershipCandidates {
    /// Stops the program if the structure contradicts itself.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(everything).
    package func checkInvariants() {
        precondition(values.count <= MembershipCandidates.valuePointerCountMax, "\(values.count) value pointers")
        precondition(paths.count <= MembershipCandidates.pathPointerCountMax, "\(paths.count) path pointers")
        precondition(Set(values.map(\.pointer)).count == values.count, "a value pointer stands twice")
        precondition(Set(paths.map(\.pointer)).count == paths.count, "a path pointer stands twice")
        check(unfiled, "of the unfiled")
        for entry in values {
            precondition(!entry.isEmpty, "a value pointer without a query was kept")
            for postings in entry.queries.values { check(postings, "under a value", isFiled: true) }
            let lengths = entry.prefixes.map(\.byteCount)
            precondition(Set(lengths).count == lengths.count, "a length of beginnings stands twice: \(lengths)")
            precondition(lengths.count <= MembershipCandidates.prefixLengthCountMax, "\(lengths.count) lengths")
            for prefixes in entry.prefixes {
                precondition(!prefixes.queries.isEmpty, "a length without a query was kept")
                for postings in prefixes.queries.values { check(postings, "under a beginning", isFiled: true) }
            }
        }
        for entry in paths {
            precondition(!entry.isEmpty, "a path pointer without a query was kept")
            for postings in entry.direct.values { check(postings, "under a directory", isFiled: true) }
            for postings in entry.recursive.values { check(postings, "under a directory and below", isFiled: true) }
        }
    }

    /// No input reaches it: only tests and the simulation call this.
    private func check(_ postings: QueryPostings, _ place: String, isFiled: Bool = false) {
        let queries = postings.queries
        precondition(!isFiled || !queries.isEmpty, "an empty list \(place) was kept")
        precondition(
            zip(queries, queries.dropFirst()).allSatisfy { $0 < $1 }, "queries \(place) out of order: \(queries)")
    }
}
