import TidemarkLiveScopes
import TidemarkModel

extension MetricsText {
    /// Writes what was served of scopes, by their names in the file. Values of parameters are no labels.
    mutating func scopes(_ tallies: [ByteString: ScopeTally]) {
        let tallies = tallies.sorted { $0.key < $1.key }
        func write(_ name: String, _ kind: String, _ help: String, _ value: (ScopeTally) -> Int64) {
            self.write(name, kind, help, tallies.map { ([("scope", $0.key)], value($0.value)) })
        }
        write("scope_streams", "gauge", "The streams of a scope.") { Int64($0.streamCount) }
        write("scope_instances", "gauge", "The scopes of a name with different parameters that are in use.") {
            Int64($0.scopeCount)
        }
        write("scope_entities", "gauge", "The entities in those.") { Int64($0.entityCount) }
        write("scope_lines_total", "counter", "The lines that were sent.") { $0.lineCount }
        write("scope_bytes_total", "counter", "The bytes of those lines.") { $0.byteCount }
        write("scope_states_total", "counter", "The states that were begun.") { $0.stateCount }
        write("scope_cut_total", "counter", "The streams that were cut because their client took nothing.") {
            $0.cutCount
        }
        write("scope_lag", "gauge", "The units that the slowest client of a scope has still to be sent.") {
            Int64($0.lagCount)
        }
        write("scope_waiting_bytes", "gauge", "The bytes that wait for clients.") { Int64($0.waitingByteCount) }
    }
}
