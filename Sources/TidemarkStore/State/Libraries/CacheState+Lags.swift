import TidemarkModel

extension CacheState {
    /// The numbers between each library's cursor and the highest one that is known to exist, 0 where none is missing.
    package var lags: [(library: ByteString, count: Int64)] {
        libraries.indexes.map { library in
            let gate = libraries[library].gate
            let highest = max(gate.held.all.last?.sequence.rawValue ?? 0, gate.tail?.rawValue ?? 0)
            let count = gate.cursor.map { max(0, highest - max(0, $0.rawValue)) } ?? 0
            return (libraries.name(of: library), count)
        }
    }

    /// The number of an input's events that wait for a missing one.
    package func heldCount(of input: InputID) -> Int {
        libraries.watched.reduce(0) { sum, library in
            sum
                + libraries[library].gate.held.all.count { event in
                    if case .line(input, _) = event.source { true } else { false }
                }
        }
    }
}
