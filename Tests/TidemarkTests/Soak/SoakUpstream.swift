import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTesting

/// An upstream of logs that fails, or answers with too little, too much or other events, but never so often in a row
/// that an event would be lost.
final class SoakUpstream: Upstream {
    private struct State {
        var random: SeededGenerator
        /// The attempts without progress in a row, by library; five would lose the gap.
        var failureCounts: [ByteString: Int] = [:]
    }

    private let logs: [ByteString: [[UInt8]]]
    private let state: Mutex<State>

    init(_ libraries: [SoakLibrary], seed: UInt64) {
        logs = Dictionary(uniqueKeysWithValues: libraries.map { ($0.name, $0.log) })
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        for _ in 0..<state.withLock({ $0.random.below(20) }) { await Task.yield() }
        let log = logs[library] ?? []
        let first = Int(clamping: sequence.rawValue) - 1
        guard first >= 0, first < log.count else { throw UpstreamError("there is nothing", isFinal: true) }
        return try state.withLock { state throws(UpstreamError) in
            if state.failureCounts[library, default: 0] < 2, state.random.chance(300) {
                state.failureCounts[library, default: 0] += 1
                switch state.random.below(3) {
                case 0: throw UpstreamError("the line is dead")
                case 1: return UpstreamResponse(lines: [])
                default: return UpstreamResponse(lines: Array("<html>not here</html>\n".utf8))
                }
            }
            state.failureCounts[library] = 0
            let count = state.random.chance(400) ? 1 : 1 + state.random.below(60)
            var lines = log[first..<min(log.count, first + count)].reduce(into: [UInt8]()) { $0 += $1 }
            // The answer also has older events, and events of another library.
            if state.random.chance(200) { lines = log[state.random.below(first + 1)] + lines }
            if state.random.chance(200), let other = logs.keys.sorted().first(where: { $0 != library }) {
                lines += logs[other]?.first ?? []
            }
            return UpstreamResponse(lines: lines)
        }
    }
}

/// An upstream of queries that fails now and then.
final class SoakQueryUpstream: QueryUpstream {
    private let random: Mutex<SeededGenerator>

    init(seed: UInt64) {
        random = Mutex(SeededGenerator(seed: seed))
    }

    func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        for _ in 0..<random.withLock({ $0.below(30) }) { await Task.yield() }
        return try random.withLock { random throws(UpstreamError) in
            if random.chance(300) { throw UpstreamError("the line is dead") }
            guard let place = SoakNote.queries.indices.first(where: { SoakNote.key($0) == query }) else {
                throw UpstreamError("nobody knows that query", isFinal: true)
            }
            return SoakNote.result(of: place, &random)
        }
    }
}
