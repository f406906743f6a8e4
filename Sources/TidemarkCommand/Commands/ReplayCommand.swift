import ArgumentParser
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkJSON

/// `tidemark replay`: replays a recording, or applies a plain stream, up to a position in a log.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay a recording up to a place in a log, and show the state there.",
        discussion: """
            Reads a recording (run --record, ingest --record) or a plain stream of events, and rebuilds the state that \
            the cache had after the step that brought a library to --to-sequence, or at the end. The outcome of each \
            step is compared with the recorded one; the first that differs is shown, and the status is 65. Without \
            --get, --list, --query or --stats a summary is printed. --record records the replay itself: this makes a \
            recording from a plain stream.

            EXAMPLE
              tidemark replay session.rec --to-sequence 4711 --get file:f1
              tidemark replay events.ndjson --record stream.rec
              tidemark replay session.rec --db copy.db
            """)

    @Argument(help: ArgumentHelp("A recording, or a plain stream of events.", valueName: "file"))
    var path: String
    @Option(help: ArgumentHelp("Stop after the step that brings the library to this sequence.", valueName: "n"))
    var toSequence: Int64?
    @OptionGroup var scope: LibraryOptions
    @Option(help: ArgumentHelp("Print this entity as it was visible.", valueName: "type:id"))
    var get: EntityName?
    @Flag(name: .customLong("list"), help: "Print all entities as they were visible, one a line.")
    var lists = false
    @Option(help: ArgumentHelp("Print the keys of this stored query.", valueName: "method"))
    var query: String?
    @Option(help: ArgumentHelp("The query's input. Default: null.", valueName: "json"))
    var input = "null"
    @Flag(name: .customLong("stats"), help: "Print counters and sizes.")
    var printsStatistics = false
    @Option(
        name: .customLong("db"),
        help: ArgumentHelp("Keep the database in this file, which must not exist.", valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "The database as it was when the recording began, if the recording does not hold it.", valueName: "file"))
    var base: String?
    @OptionGroup(title: "Recording") var recording: RecordOptions
    @OptionGroup var key: KeyFileOptions
    @OptionGroup(title: "Plain streams") var stream: ReplayedStreamOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
        if let toSequence, toSequence < 0 {
            throw ValidationError("--to-sequence takes 0 or more, not \(toSequence).")
        }
        let questions = [get != nil, lists, query != nil, printsStatistics].count { $0 }
        guard questions <= 1 else { throw ValidationError("Pass one of --get, --list, --query and --stats.") }
    }

    func run() async throws {
        try Recorder.check(recording)
        let source = try ReplaySource(path, stream: stream)
        let encryption = try key.encryption()
        let run = try await ReplayRun(source, output: output, base: base, encryption: encryption) { setup, base in
            guard let path = recording.path else { return nil }
            var setup = setup
            setup.command = "replay"
            setup.base = base.isEmpty ? .empty : .included
            return try Recorder.writer(path, setup, base, recording, source.policy, encryption)
        }
        var failure: (any Error)?
        var isReached = false
        do {
            isReached = try await advance(run)
        } catch {
            failure = error
        }
        try await run.close()
        if let failure { throw failure }
        let out = Output.standard()
        try await show(run, to: out)
        try out.flush()
        try complain(run, isReached: isReached)
    }

    /// Replays steps up to `--to-sequence`, or to the end.
    ///
    /// - Returns: True if that sequence was reached.
    private func advance(_ run: ReplayRun) async throws -> Bool {
        guard let toSequence else {
            while try await run.step() != nil {}
            return true
        }
        let goal = EventSequence(toSequence)
        let first = try await cursor(run)
        if first == goal { return true }
        // The recording does not contain what happened before its first step. A library that is already past the goal
        // must first fall below it again, for example when its log restarts.
        var isBelow = first.map { $0 < goal } ?? true
        while try await run.step() != nil {
            guard let cursor = try await cursor(run) else {
                isBelow = true
                continue
            }
            if cursor == goal || isBelow && cursor > goal { return true }
            isBelow = isBelow || cursor < goal
        }
        guard let first, !isBelow else { return false }
        throw Failure(
            .badData, "not_reached",
            "the recording does not hold \(toSequence): it begins at \(first.rawValue)",
            place: Printable.text(path), outcome: "nothing is shown", advice: "pass \(first.rawValue) or more")
    }

    /// Returns the cursor of the library in `--library`, or else of the only library with one.
    private func cursor(_ run: ReplayRun) async throws(Failure) -> EventSequence? {
        if let library = scope.library { return await run.replayer.cache.status(of: library).cursor }
        let numbered = await run.replayer.cache.libraries().filter { $0.cursor != nil }
        guard numbered.count < 2 else {
            let names = numbered.prefix(5).map { "'\($0.library)'" }.joined(separator: ", ")
            throw .usage(
                "--to-sequence needs one library, and there are several", advice: "name it with --library: \(names)"
            )
        }
        return numbered.first?.cursor
    }

    /// Reports an incomplete last line on standard error.
    ///
    /// - Throws: ``Failure`` if a step diverged from the recording, or the goal was not reached.
    private func complain(_ run: ReplayRun, isReached: Bool) throws(Failure) {
        if let torn = run.source.tornLine {
            let errors = Output.errors()
            try errors.writeLine(
                "tidemark: torn: \(torn.message); \(Printable.text(path)): \(torn.place); all before it was replayed")
            try errors.flush()
        }
        if let divergence = run.replayer.divergence {
            throw Failure(
                .badData, "diverged", "step \(divergence.number) (\(divergence.step)) had another outcome",
                place: "\(path): line \(divergence.line)",
                outcome: "the later steps depend on it",
                advice: "use the version that recorded it; if this is that version, report it with the recording")
        }
        guard let toSequence, !isReached else { return }
        throw Failure(
            .badData, "not_reached", "no step brings the library to \(toSequence)", place: path,
            outcome: "the state at the end is shown", advice: "pass a lower number; the summary shows the end")
    }

    // MARK: Answers

    private func show(_ run: ReplayRun, to output: Output) async throws {
        let reader = try CacheReader(path: run.database, encryption: try key.encryption())
        if let get {
            let answer = try reader.answer(to: get, library: scope.library)
            try answer.write(
                to: output, isJSON: format.isJSON, absent: "\(Printable.text(get.text)) was not in the cache")
        } else if lists {
            try reader.forEach(library: scope.library, type: nil, showsLayers: true) { entity throws(Failure) in
                try output.writeLine(ExportCommand.json(entity))
                return !output.isClosed
            }
        } else if let query {
            try write(try keys(of: query, run, reader), to: output)
        } else if printsStatistics {
            let statistics = try Statistics(of: reader)
            if format.isJSON { try output.writeLine(statistics.json) } else { try statistics.write(to: output) }
        } else {
            try await write(summary(run, reader), to: output)
        }
    }

    /// Returns the keys of a stored query in list order; nil if the query is not stored.
    private func keys(of method: String, _ run: ReplayRun, _ reader: CacheReader) throws(Failure) -> [EntityKey]? {
        let key: QueryKey
        do throws(CacheError) {
            key = try QueryKey(
                library: scope.library ?? run.source.setup.defaultLibrary, method: ByteString(method),
                input: Array(input.utf8))
        } catch {
            throw Failure.usage("--input: \(error.message)", advice: "pass JSON")
        }
        var keys: [EntityKey]?
        try reader.forEachQuery(library: key.library, method: key.method) { query throws(Failure) in
            if query.key.input == key.input { keys = query.keys }
        }
        return keys
    }

    private func write(_ keys: [EntityKey]?, to output: Output) throws(Failure) {
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.name("keys")
                guard let keys else { return line.value(json: Array("null".utf8)) }
                line.array { line in
                    for key in keys { line.value(key.text) }
                }
            }
            return try output.writeLine(line.bytes)
        }
        guard let keys else { return try output.writeLine("no such query was stored") }
        for key in keys { try output.writeLine(Printable.text(key.text)) }
    }

    private func summary(_ run: ReplayRun, _ reader: CacheReader) async throws -> ReplaySummary {
        let report = try reader.verify()
        return ReplaySummary(
            path: path, isRecording: run.source.isRecording, droppedCount: run.source.setup.droppedCount,
            entryCount: run.replayer.entryCount,
            quarantinedCount: await run.replayer.cache.counts().quarantined, last: run.last,
            goal: toSequence.map { EventSequence($0) },
            endReason: run.source.endReason, tornLine: run.source.tornLine, divergence: run.replayer.divergence,
            libraries: await run.replayer.cache.libraries().sorted { $0.library < $1.library },
            entityCount: report.entityCount, digest: report.digest)
    }

    private func write(_ summary: ReplaySummary, to output: Output) throws(Failure) {
        if format.isJSON { try output.writeLine(summary.json) } else { try summary.write(to: output) }
    }
}
