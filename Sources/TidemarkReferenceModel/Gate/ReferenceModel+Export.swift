// The results of a run, in the formats of the command line.

extension ReferenceModel {
    /// Returns the lines of `tidemark export`, in key order, without line ends.
    ///
    /// - Complexity: O(n log n) in the number of entities.
    package func exportLines() -> [[UInt8]] {
        store.entities.keys.sorted().compactMap { key in
            store.entities[key].map { Self.exportLine(key, $0) }
        }
    }

    /// The summary of the current run.
    package var summary: ReferenceSummary {
        let libraries = libraries.mapValues { library in
            ReferenceSummary.Library(
                epoch: library.epoch ?? [], sequence: library.cursor.flatMap { $0 < 0 ? nil : $0 },
                state: library.state, lost: library.lost)
        }
        var counts = counts
        for library in self.libraries.values { counts.held += library.unit.count { $0.offer.origin == .stream } }
        return ReferenceSummary(counts: counts, entities: store.entities.count, libraries: libraries)
    }

    private static func exportLine(_ key: ReferenceKey, _ entity: ReferenceEntity) -> [UInt8] {
        func string(_ bytes: [UInt8]) -> [UInt8] { ReferenceString(bytes).spelling }
        var line = Array("{\"library_id\":".utf8) + string(key.library)
        line += Array(",\"resource_type\":".utf8) + string(key.type)
        line += Array(",\"id\":".utf8) + string(key.id)
        line += Array(",\"resource\":".utf8) + entity.json.written
        line += Array(",\"sequence\":".utf8) + Array((entity.sequence.map { String($0) } ?? "null").utf8)
        return line + Array("}".utf8)
    }
}
