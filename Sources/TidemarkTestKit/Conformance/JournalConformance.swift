import Tidemark
import TidemarkModel
import TidemarkStore

/// Checks that a journal keeps its promises: it commits random flushes and compares the journal after each with a plain
/// dictionary, with failed flushes and reopenings in between.
///
/// The weights of the kinds of change differ from seed to seed; a failure names its seed and step.
package struct JournalConformance {
    /// A promise that the journal broke.
    package struct Failure: Error, CustomStringConvertible {
        /// The seed that reproduces the failure.
        package let seed: UInt64
        /// The flush after which the failure showed, counted from 1; 0 before the first.
        package let step: Int
        package let message: String

        package var description: String { "seed \(seed), step \(step): \(message)" }
    }

    /// The number of flushes of one run.
    package var flushCount = 30
    /// The number of rows that a flush changes at most.
    package var rowCountMax = 60

    /// The indexes that are declared at each opening; payloads are JSON then. A journal may ignore them.
    package var indexes: [FieldIndex] = []

    package init() {}

    /// Runs one seed to its end.
    ///
    /// - Parameters:
    ///   - seed: Reproduces the run exactly.
    ///   - open: Returns a journal: an empty one at first, later the one that was closed before.
    /// - Throws: ``Failure``, and the errors of the journal.
    package func run(seed: UInt64, open: () async throws -> any Journal) async throws {
        var model = JournalModel(seed: seed, rowCountMax: rowCountMax, isJSON: !indexes.isEmpty)
        var journal = try await open()
        var state = try await journal.recover()
        try await journal.changeIndexes(FieldIndexChanges(added: indexes), progress: nil)
        try check(
            state.queries.isEmpty && state.layers.isEmpty && state.lastQuery == 0 && state.lastRow == 0
                && state.libraries.isEmpty
                && state.types.isEmpty, seed, 0, "a new journal is not empty")
        for step in 1...flushCount {
            let flush = model.nextFlush()
            if model.chance(1, in: 5) { try await checkFailure(of: flush, journal, seed, step) }
            try await journal.commit(flush)
            try await compare(journal, &model, seed, step)
            if model.chance(1, in: 4) {
                try await journal.close()
                do throws(StorageError) {
                    try await journal.commit(flush)
                    throw StorageError(.inputOutput, "a closed journal took a flush", advice: "")
                } catch {
                    try check(error.code == .closed, seed, step, "after close a commit gives \(error)")
                }
                journal = try await open()
                state = try await journal.recover()
                try await journal.changeIndexes(FieldIndexChanges(added: indexes), progress: nil)
                if let difference = model.difference(to: state) {
                    throw Failure(seed: seed, step: step, message: "after reopening, \(difference)")
                }
                try await compare(journal, &model, seed, step)
            }
        }
        try await journal.close()
    }

    /// Checks that a flush that cannot be written changes nothing: given again without its fault, it counts once.
    private func checkFailure(of flush: FlushBatch, _ journal: any Journal, _ seed: UInt64, _ step: Int) async throws {
        var faulty = flush
        faulty.newTypes.append((0, "a second name of type 0"))
        do throws(StorageError) {
            try await journal.commit(faulty)
        } catch {
            return try check(error.code == .damaged, seed, step, "a flush that contradicts itself gives \(error)")
        }
        throw Failure(seed: seed, step: step, message: "a flush that contradicts itself was taken")
    }

    private func compare(
        _ journal: any Journal, _ model: inout JournalModel, _ seed: UInt64, _ step: Int
    ) async throws {
        let keys = model.keysToLoad()
        let loaded = try await journal.load(keys).entities
        let byKey = Dictionary(loaded.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        try check(byKey.count == loaded.count, seed, step, "load gave a key twice")
        for key in keys {
            try check(
                byKey[key] == model.entities[key], seed, step,
                "\(key) is \(String(describing: byKey[key])), not \(String(describing: model.entities[key]))")
        }
        let rows = try await journal.rows(after: nil, countMax: model.entities.count + 1)
        try check(
            Set(rows) == model.rowAges && rows.count == model.entities.count, seed, step,
            "a walk over the rows gives \(rows.count) of \(model.entities.count), or others")
        if !indexes.isEmpty {
            for _ in 0..<4 { try await compareCandidates(journal, &model, seed, step) }
        }
        for _ in 0..<8 {
            let page = model.randomPage()
            let found = try await journal.page(
                library: page.library, type: page.type, after: page.after, countMax: page.countMax)
            try check(
                found.entities == page.entities && found.damaged.isEmpty, seed, step,
                "a page behind \(String(describing: page.after)) is \(found.entities.map(\.key.id)), not "
                    + "\(page.entities.map(\.key.id))")
        }
    }

    /// Checks the candidates of a random rule: stored entities in key order, unchanged, with all that match the rule.
    private func compareCandidates(
        _ journal: any Journal, _ model: inout JournalModel, _ seed: UInt64, _ step: Int
    ) async throws {
        let wanted = model.randomRule()
        let rule = try Membership(json: Array(wanted.rule.utf8))
        let reference = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(wanted.rule.utf8)))
        var found: [StoredEntity] = []
        while true {
            let page = try await journal.page(
                library: wanted.library, type: wanted.type, after: found.last?.key.id, countMax: wanted.countMax,
                constraint: rule.constraint)
            if page.entities.isEmpty { break }
            found += page.entities
        }
        let texts = found.map(\.key.id.text)
        try check(zip(texts, texts.dropFirst()).allSatisfy { $0 < $1 }, seed, step, "\(wanted.rule) gives \(texts)")
        try check(
            found.allSatisfy {
                model.entities[$0.key] == $0 && $0.key.library == wanted.library && $0.key.type == wanted.type
            },
            seed, step, "\(wanted.rule) gives what is not stored")
        for (key, entity) in model.entities where key.library == wanted.library && key.type == wanted.type {
            let resource = try ReferenceJSONParser.parse(entity.payload)
            try check(
                !reference.matches(resource) || texts.contains(key.id.text), seed, step,
                "\(wanted.rule) leaves out \(key.id.text)")
        }
    }

    private func check(_ holds: Bool, _ seed: UInt64, _ step: Int, _ message: @autoclosure () -> String) throws {
        if !holds { throw Failure(seed: seed, step: step, message: message()) }
    }
}
