import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Lists that are too long for a row of the journal.
@Suite(.pooled) struct WrittenListTests {
    private func put(_ names: [String], into state: inout CacheState) throws {
        let resources = names.enumerated().map { #"{"id":"\#($0)","name":"\#($1)"}"# }.joined(separator: ",")
        let line =
            #"{"library_id":"a","event":{"ResourceBatchChanged":{"resource_type":"file","resources":[\#(resources)]}}}"#
        let rule = Array(#"{"resource_type":"file","order":[{"path":"/name"}]}"#.utf8)
        let head = QueryResultHead(
            key: QueryKey(library: "a", method: "m", canonicalInput: "{}"), timeToLive: nil, asOf: nil,
            membership: try Membership(json: rule), membershipText: rule, tags: [], isLocal: false, start: nil)
        let batch = try #require(try EventDecoder.batches(of: Array(line.utf8), limits: Limits()).first)
        _ = try state.store(batch, head, at: 1)
    }

    @Test func `a list too long to be written leaves the journal, and returns when it is shorter`() throws {
        var configuration = CacheStateConfiguration()
        configuration.writtenListByteCountMax = 1_000
        var state = CacheState(configuration: configuration, recovered: RecoveredState(), seed: 1)
        let long = String(repeating: "n", count: 600)
        for (names, written, removed) in [
            (["a", "b"], 1, 0), ([long, long + "2"], 0, 1), ([long, long + "3"], 0, 0), ([long], 1, 0),
        ] {
            try put(names, into: &state)
            let flush = state.takeFlush()
            #expect(flush.queries.count == written && flush.removedQueries.count == removed, "\(names.map(\.count))")
            state.flushCommitted()
        }
    }
}
