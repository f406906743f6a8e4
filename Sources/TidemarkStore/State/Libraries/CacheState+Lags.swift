import TidemarkModel

extension CacheState {
    /// For each library, how many sequences lie between its cursor and the highest known one; 0 if none is missing.
    package var lags: [(library: ByteString, count: Int64)] {
        libraries.indexes.map { library in
            let gate = libraries[library].gate
            let highest = max(gate.held.all.last?.sequence.rawValue ?? 0, gate.tail?.rawValue ?? 0)
            let count = gate.reached.map { max(0, highest - max(0, $0.rawValue)) } ?? 0
            return (libraries.name(of: library), count)
        }
    }

    /// Returns how many of an input's events are held.
    package func heldCount(of input: InputID) -> Int {
        libraries.watched.reduce(0) { sum, library in
            sum
                + libraries[library].gate.waiting.count { event in
                    if case .line(input, _) = event.source { true } else { false }
                }
        }
    }

    /// How many events from inputs wait in units that have not ended.
    package var openUnitEventCount: Int {
        libraries.watched.reduce(0) { sum, library in
            sum + libraries[library].gate.unit.events.count { $0.source.isCounted }
        }
    }
}
