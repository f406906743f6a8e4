/// Queries in ascending order, each once.
struct QueryPostings {
    private(set) var queries: [UInt32] = []

    var isEmpty: Bool { queries.isEmpty }

    /// Does nothing when it is there.
    ///
    /// - Complexity: O(log n) to find its place, O(n) of one copy of memory to make room.
    mutating func insert(_ query: UInt32) {
        let place = place(of: query)
        if place == queries.count || queries[place] != query { queries.insert(query, at: place) }
    }

    /// Does nothing when it is not there.
    mutating func remove(_ query: UInt32) {
        let place = place(of: query)
        if place < queries.count, queries[place] == query { queries.remove(at: place) }
    }

    func contains(_ query: UInt32) -> Bool {
        let place = place(of: query)
        return place < queries.count && queries[place] == query
    }

    /// Where the query is, or would have to be.
    private func place(of query: UInt32) -> Int {
        var low = 0
        var high = queries.count
        while low < high {
            let middle = (low + high) / 2
            if queries[middle] < query { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
