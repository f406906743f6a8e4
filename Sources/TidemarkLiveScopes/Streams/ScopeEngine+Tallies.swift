import TidemarkModel
import TidemarkScopes

extension ScopeEngine {
    /// What was served by name of scope.
    var currentTallies: [ByteString: ScopeTally] {
        var tallies = tallies
        for name in file.scopes.keys where tallies[name] == nil { tallies[name] = ScopeTally() }
        for library in libraries.values {
            for scope in library.all { add(scope, to: &tallies[scope.name, default: ScopeTally()]) }
        }
        return tallies
    }

    private func add(_ scope: ServedScope, to tally: inout ScopeTally) {
        let scopes = scope.library.scopes
        tally.scopeCount += 1
        tally.entityCount += scopes.entityCount(of: scope.handle)
        tally.streamCount += scope.streamIDs.count
        for id in scope.streamIDs {
            guard let served = streams[id] else { continue }
            tally.waitingByteCount += served.stream.byteCount + served.waitingByteCount
            tally.lagCount = max(tally.lagCount, scopes.lag(of: served.reader, with: scope.handle))
        }
    }
}
