import TidemarkStore

/// The keys of a data file in order: sorted runs, one for the new keys of each flush, merged in steps.
///
/// A key stays until a merge finds that it has no version any longer. So a run has keys without a version, and two runs
/// may have the same key; a walk skips both. Eight runs of a size class are merged into one of the next. After each
/// step, all keys are in some run: one transaction writes the output and deletes the parts of the input that are used
/// up. A process that ends in the middle leaves runs like any others, and only forgets which ones were being merged.
///
/// Owner: the writer of the blocks.
///
/// - Source: docs/blocks.md.
final class KeyRuns {
    /// How many runs are merged together.
    private static let mergedRunCount = 8
    /// How many keys a step merges for each new key: each key is written again once a level, and there are at most six
    /// levels.
    private static let stepCountPerKey = 4
    /// The least number of keys that a step merges.
    private static let stepCountMin = 1_000

    /// The runs, and the merges of some of them.
    private struct State {
        var runs: [KeyRun] = []
        /// The running merges, at most one for each level.
        var merges: [Merge] = []
    }

    /// A merge of the oldest runs of a level.
    private struct Merge {
        var level: Int
        /// The positions in the runs that are merged; runs at their end are removed.
        var inputs: [KeyCursor]
        var output: KeyRun
    }

    private let table: KeyRunTable
    private var state: State
    private var staged: State?

    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        table = try KeyRunTable(connection)
        state = State(runs: try table.runs())
    }

    var runCount: Int { state.runs.count }

    // MARK: Writing

    /// Writes new keys as a run, and merges a step of older runs, in the current transaction.
    ///
    /// - Parameters:
    ///   - newKeys: Keys that had no version before, each once.
    ///   - isGone: Returns true if a key had no version at the last commit.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a part is damaged.
    /// - Complexity: O(n log n) for the new keys, and some keys of older runs for each.
    func stage(_ newKeys: [StoredKey], isGone: (StoredKey) -> Bool) throws {
        var next = state
        let stepCount = newKeys.count * KeyRuns.stepCountPerKey + KeyRuns.stepCountMin
        for level in 0...KeyRun.levelMax { try merge(level, stepCount: stepCount, &next, isGone: isGone) }
        // New keys are added last, because a merge would drop them: before the commit they have no version.
        try add(newKeys, to: &next)
        staged = next
    }

    /// Adopts what was staged, after the transaction was committed.
    func published() {
        state = staged ?? state
        staged = nil
    }

    /// Drops what was staged, after the transaction was rolled back.
    func discard() { staged = nil }

    /// Replaces all runs, in the current transaction, instead of ``stage(_:isGone:)``.
    ///
    /// - Parameter keys: Calls its argument with groups of keys, each of which becomes a run.
    func replaceAll(_ keys: (([StoredKey]) throws -> Void) throws -> Void) throws {
        try table.removeEverything()
        var next = State()
        try keys { try add($0, to: &next) }
        staged = next
    }

    private func add(_ keys: [StoredKey], to next: inout State) throws {
        guard !keys.isEmpty else { return }
        var ordered = keys.map { OrderedKey.bytes(of: $0) }
        ordered.sort { first, second in
            first.withUnsafeBytes { first in second.withUnsafeBytes { OrderedKey.precedes(first, $0) } }
        }
        let byteCount = ordered.reduce(0) { $0 + $1.count }
        var run = KeyRuns.newRun(partCount: byteCount / KeyPart.byteCountMax + 1, next)
        var builder = KeyPartBuilder()
        for key in ordered {
            key.withUnsafeBytes { builder.add($0) }
            if builder.isFull { try close(&builder, &run) }
        }
        try close(&builder, &run)
        next.runs.append(run)
    }

    private static func newRun(partCount: Int, _ next: State) -> KeyRun {
        let level = KeyRun.level(partCount: partCount)
        var last = -1
        for run in next.runs where run.level == level { last = max(last, run.sequence) }
        for merge in next.merges where merge.output.level == level { last = max(last, merge.output.sequence) }
        return KeyRun(level: level, sequence: last + 1)
    }

    private func close(_ builder: inout KeyPartBuilder, _ run: inout KeyRun) throws {
        guard builder.count > 0 else { return }
        let place = run.place(of: run.parts.upperBound)
        try table.put(place, builder.take(place: place))
        run.parts = run.parts.lowerBound..<run.parts.upperBound + 1
    }

    // MARK: Merging

    private func merge(_ level: Int, stepCount: Int, _ next: inout State, isGone: (StoredKey) -> Bool) throws {
        var merge: Merge
        if let index = next.merges.firstIndex(where: { $0.level == level }) {
            merge = next.merges.remove(at: index)
        } else if let begun = try begin(level, &next) {
            merge = begun
        } else {
            return
        }
        var builder = KeyPartBuilder()
        var last: [UInt8] = []
        for _ in 0..<stepCount {
            guard let first = KeyCursor.firstIndex(of: merge.inputs) else { break }
            let isNew = merge.inputs[first].withKey { key in last.withUnsafeBytes { !OrderedKey.isEqual(key, $0) } }
            if isNew {
                merge.inputs[first].withKey { key in
                    last = Array(key)
                    if let stored = OrderedKey.key(key), !isGone(stored) { builder.add(key) }
                }
                if builder.isFull { try close(&builder, &merge.output) }
            }
            let part = merge.inputs[first].part
            try merge.inputs[first].advance(table)
            if merge.inputs[first].part != part { try remove(part, of: merge.inputs[first].run, &next) }
        }
        // At the end of each step, all keys that were taken from the inputs are on the disk.
        try close(&builder, &merge.output)
        merge.inputs.removeAll(where: \.isAtEnd)
        if !merge.inputs.isEmpty {
            next.merges.append(merge)
        } else if !merge.output.parts.isEmpty {
            next.runs.append(merge.output)
        }
    }

    /// Begins to merge the oldest runs of a level; nil when there are not enough.
    private func begin(_ level: Int, _ next: inout State) throws -> Merge? {
        let inputs = next.runs.filter { $0.level == level }.sorted { $0.sequence < $1.sequence }
            .prefix(KeyRuns.mergedRunCount)
        guard inputs.count == KeyRuns.mergedRunCount, level < KeyRun.levelMax else { return nil }
        let partCount = inputs.reduce(0) { $0 + $1.parts.count }
        return Merge(
            level: level, inputs: try inputs.map { try KeyCursor($0, table) },
            output: KeyRuns.newRun(partCount: partCount, next))
    }

    /// Deletes a part whose keys are all in the output or its builder.
    private func remove(_ part: Int, of run: KeyRun, _ next: inout State) throws {
        try table.remove(run.place(of: part))
        guard let index = next.runs.firstIndex(where: { $0.level == run.level && $0.sequence == run.sequence }) else {
            return
        }
        next.runs[index].parts = part + 1..<run.parts.upperBound
        if next.runs[index].parts.isEmpty { next.runs.remove(at: index) }
    }

    // MARK: Reading

    /// Begins a walk over keys in order on the writer's connection. Keys that no longer have a version may be among
    /// them. The next flush invalidates it.
    ///
    /// - Parameter start: The ``OrderedKey`` after which to begin; nil to begin with the first key.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a part is damaged.
    func walk(after start: [UInt8]? = nil) throws -> KeyWalk {
        let runs = state.runs + state.merges.map(\.output).filter { !$0.parts.isEmpty }
        return try KeyWalk(runs, table, after: start)
    }
}
