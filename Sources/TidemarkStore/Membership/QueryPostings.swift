/// A set of queries in ascending order.
struct QueryPostings {
    private(set) var queries: [QueryID] = []

    var isEmpty: Bool { queries.isEmpty }

    /// Adds a query. No effect if it is present.
    ///
    /// - Complexity: O(log n) to find its place, plus O(n) of copied memory to insert it.
    mutating func insert(_ query: QueryID) {
        let place = place(of: query)
        if place == queries.count || queries[place] != query { queries.insert(query, at: place) }
    }

    /// Removes a query. No effect if it is not present.
    mutating func remove(_ query: QueryID) {
        let place = place(of: query)
        if place < queries.count, queries[place] == query { queries.remove(at: place) }
    }

    func contains(_ query: QueryID) -> Bool {
        let place = place(of: query)
        return place < queries.count && queries[place] == query
    }

    /// Returns the index of a query, or the index at which it would be inserted.
    private func place(of query: QueryID) -> Int {
        var low = 0
        var high = queries.count
        while low < high {
            let middle = (low + high) / 2
            if queries[middle] < query { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
