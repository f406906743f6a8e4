/// The questions that a simulated server was asked, in order, and the lists that it answered with.
///
/// If answers race (``SimulationTraits/asksRacing``), they name no log position: an answer is as old as its question,
/// and the server numbers its writes to show which of two values is newer.
package struct QuestionDesk: Sendable {
    /// A list that reached the cache.
    package struct Listed: Sendable {
        /// The library of the list.
        package let library: String
        /// The query that the list answers.
        package let query: ServerQuery
        /// The number of the question; later questions have higher numbers.
        package let question: Int
        /// The ids of the elements, in order.
        package let ids: [String]

        /// Creates a record of a list.
        package init(library: String, query: ServerQuery, question: Int, ids: [String]) {
            (self.library, self.query, self.question, self.ids) = (library, query, question, ids)
        }
    }

    /// True if answers name no position and the values of `v` are numbered.
    package var isRacing = false
    /// How many questions were asked so far, including unsolicited answers.
    package private(set) var count = 0
    /// The number of the last question about each query, by library.
    package private(set) var last: [String: [ServerQuery: Int]] = [:]
    /// The lists that reached the cache since the last check.
    package var listed: [Listed] = []
    /// The entities that answered mutations wrote since the last check.
    private var mutated: [(library: String, id: String)] = []
    /// The number of the last write.
    private var stamp: Int64 = 0

    /// Numbers a question.
    ///
    /// - Parameter query: The query; nil for a document, and for an unsolicited answer.
    package mutating func ask(_ library: String, _ query: ServerQuery? = nil) -> Int {
        count += 1
        if let query { last[library, default: [:]][query] = count }
        return count
    }

    /// Returns the next value of `v`: larger than all before, and an odd number above 2^53, which no double represents
    /// exactly.
    package mutating func nextStamp() -> Int64 {
        stamp += 1
        return ItemFields.stamp(stamp)
    }

    /// Records the answer to a mutation, which may be older than the answer to a question in between.
    mutating func mutated(_ library: String, _ id: String) { mutated.append((library, id)) }

    /// Removes and returns the entities that answered mutations wrote since the last call.
    package mutating func takeMutated() -> [(library: String, id: String)] {
        defer { mutated = [] }
        return mutated
    }

    /// Rotates ids by the number of the question, so that a list shows which answer it came from.
    package static func shuffled(_ ids: [String], by question: Int) -> [String] {
        guard !ids.isEmpty else { return [] }
        let first = question % ids.count
        return Array(ids[first...] + ids[..<first])
    }
}

extension ItemFields {
    static func stamp(_ number: Int64) -> Int64 { 9_007_199_254_740_993 + 2 * number }

    /// The number in `v`, which grows with every write if answers race; nil if it is not a number.
    package var stamp: Int64? { values["v"].flatMap { Int64($0) } }
}
