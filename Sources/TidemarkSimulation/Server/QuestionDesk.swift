/// The questions that a simulated server was asked, in order, and the lists that it answered with.
///
/// Where answers race (``SimulationTraits/asksRacing``) they name no place in the log: an answer is as old as its
/// question, and the server numbers its writes so that a reader can tell which of two values is newer.
package struct QuestionDesk: Sendable {
    /// A list that reached the cache.
    package struct Listed: Sendable {
        package let library: String
        package let query: ServerQuery
        /// The number of the question that the list answers; later questions have higher numbers.
        package let question: Int
        package let ids: [String]

        package init(library: String, query: ServerQuery, question: Int, ids: [String]) {
            (self.library, self.query, self.question, self.ids) = (library, query, question, ids)
        }
    }

    /// Whether answers name no place, and values of `v` are numbered.
    package var isRacing = false
    /// The number of questions so far, answers that nobody asked for included.
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
    /// - Parameter query: The query that is asked for; nil for a document, and for an answer that nobody asked for.
    package mutating func ask(_ library: String, _ query: ServerQuery? = nil) -> Int {
        count += 1
        if let query { last[library, default: [:]][query] = count }
        return count
    }

    /// Returns the next value of `v`: an odd number above 2^53, which no double can represent, and larger than all
    /// before.
    package mutating func nextStamp() -> Int64 {
        stamp += 1
        return ItemFields.stamp(stamp)
    }

    /// Notes the answer to a mutation, which may be older than that to a question in between.
    mutating func mutated(_ library: String, _ id: String) { mutated.append((library, id)) }

    /// Returns the entities that answered mutations wrote since the last call.
    package mutating func takeMutated() -> [(library: String, id: String)] {
        defer { mutated = [] }
        return mutated
    }

    /// Returns ids in an order that belongs to one question, so that a list tells which answer it came from.
    package static func shuffled(_ ids: [String], by question: Int) -> [String] {
        guard !ids.isEmpty else { return [] }
        let first = question % ids.count
        return Array(ids[first...] + ids[..<first])
    }
}

extension ItemFields {
    static func stamp(_ number: Int64) -> Int64 { 9_007_199_254_740_993 + 2 * number }

    /// The number in `v`, which grows with every write of a server whose answers race; nil without a number.
    package var stamp: Int64? { values["v"].flatMap { Int64($0) } }
}
