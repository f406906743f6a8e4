import ArgumentParser
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkRecording
import TidemarkStore
import TidemarkViews

/// `tidemark bisect`: finds the event after which a condition changed.
struct BisectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Find the event after which a condition changed, in a recording or a stream.",
        discussion: """
            Replays the steps and checks after each step whether an entity exists (--entity), whether a condition \
            holds for it (--where), whether a stored query's list holds it (--query), whether a library is in a \
            state (--state), or whether a view has a row with a value (--until-view, --row). Prints the first step after which the answer differs from the answer at the start (a \
            turn), with its line, library and sequence; --all prints every turn. No turn is an answer too: the status \
            is 0. Without --library all libraries are searched, and it is enough that the condition holds in one of \
            them.

            EXAMPLE
              tidemark bisect session.rec --entity file:f1
              tidemark bisect session.rec --entity file:f1 --where '{"path":"/name","eq":"b.txt"}'
              tidemark bisect events.ndjson --library home --state stale --all
              tidemark bisect session.rec --until-view open-issues --row /id=i7
            """)

    @Argument(help: ArgumentHelp("A recording, or a plain stream of events.", valueName: "file"))
    var path: String
    @Option(help: ArgumentHelp("The entity to check.", valueName: "type:id"))
    var entity: EntityName?
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The condition that the entity has to meet, as in a rule.", valueName: "json"))
    var condition: String?
    @Option(help: ArgumentHelp("Whether the list of this stored query holds the entity.", valueName: "method"))
    var query: String?
    @Option(help: ArgumentHelp("The query's input. Default: null.", valueName: "json"))
    var input = "null"
    @Option(
        help: ArgumentHelp(
            "Whether the library is in this state: cold, live, gap, reconciling or stale.", valueName: "state"))
    var state: LibraryPhase?
    @Option(
        help: ArgumentHelp(
            "A view whose rows are checked: its rule in JSON, or its name in the database with which the recording began.",
            valueName: "name|json"))
    var untilView: String?
    @Option(help: ArgumentHelp("The values of the view's parameters, a JSON object.", valueName: "json"))
    var params: String?
    @Option(help: ArgumentHelp("A value of a row; one that is no JSON is a string.", valueName: "pointer=value"))
    var row: RowCondition?
    @Flag(name: .customLong("all"), help: "Print every turn, not only the first.")
    var printsAll = false
    @OptionGroup var scope: LibraryOptions
    @Option(
        help: ArgumentHelp(
            "The database as it was when the recording began, if the recording does not hold it.", valueName: "file"))
    var base: String?
    @OptionGroup var key: KeyFileOptions
    @OptionGroup(title: "Plain streams") var stream: ReplayedStreamOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
        guard [entity != nil, state != nil, untilView != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Pass one of --entity, --state and --until-view.")
        }
        guard (untilView == nil) == (row == nil) else {
            throw ValidationError("--until-view and --row need each other.")
        }
        if params != nil, untilView == nil { throw ValidationError("--params is for --until-view.") }
        if entity == nil, condition != nil || query != nil {
            throw ValidationError("--where and --query need --entity.")
        }
        if condition != nil, query != nil { throw ValidationError("Pass one of --where and --query.") }
    }

    func run() async throws {
        let source = try ReplaySource(path, stream: stream)
        let turns = try viewTurns()
        let predicate = try predicate(turns)
        let run = try await ReplayRun(source, base: base, encryption: try key.encryption())
        var search: TurnSearch
        do throws(CacheError) {
            if turns != nil { try await ViewEngine.attach(to: run.replayer.cache) }
            search = try await TurnSearch(predicate, in: run.replayer.cache, wantsAll: printsAll)
        } catch {
            try await run.close()
            throw failure(error)
        }
        var failure: (any Error)?
        do {
            while let entry = try await run.step() {
                var goesOn = true
                do throws(CacheError) {
                    goesOn = try await search.look(after: entry, in: run.replayer.cache)
                } catch {
                    throw self.failure(error)
                }
                if !goesOn { break }
            }
        } catch {
            failure = error
        }
        let libraries = await run.replayer.cache.libraries().map(\.library).sorted()
        try await run.close()
        if let failure { throw failure }
        if let turns, let untilView, !turns.wasFound {
            throw Failure(
                .noInput, "not_found",
                "no view of the recording's database is named \(Printable.text(ByteString(untilView)))",
                outcome: "nothing was found", advice: "pass the rule itself: --until-view '{\"from\":…}'")
        }
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(search.json)
        } else {
            try search.write(to: output, listsAll: printsAll)
            if scope.library == nil { try reportLibraries(libraries, to: output) }
        }
        try output.flush()
        if let divergence = run.replayer.divergence {
            let errors = Output.errors()
            try errors.writeLine(
                "tidemark: diverged: step \(divergence.number) had another outcome than the recorded one; \(Printable.text(path)): "
                    + "line \(divergence.line); what was found after it may be wrong; see tidemark replay"
            )
            try errors.flush()
        }
    }

    private func predicate(_ turns: ViewTurns?) throws(Failure) -> TurnPredicate {
        let ofLibrary: @Sendable (ByteString) -> TurnPredicate
        if let turns {
            ofLibrary = { library in
                .fulfils { (cache) throws(CacheError) in try await turns.holds(in: library, cache) }
            }
        } else {
            ofLibrary = try predicate()
        }
        return scope.library.map(ofLibrary) ?? .ofAnyLibrary(ofLibrary)
    }

    /// Returns the check of a view's rows; nil if another condition is searched.
    private func viewTurns() throws(Failure) -> ViewTurns? {
        guard let untilView, let row else { return nil }
        let condition: Membership
        do throws(MembershipError) {
            condition = try row.rule()
        } catch {
            throw .usage("--row: \(error.message)", advice: "compare with a string, a number, true, false or null")
        }
        let params = self.params.map { Array($0.utf8) }
        guard untilView.first == "{" else {
            return ViewTurns(.name(ByteString(untilView)), params: params, row: condition)
        }
        let rule: ViewRule
        do throws(ViewRuleError) {
            rule = try ViewRule(json: Array(untilView.utf8))
        } catch {
            throw Failure(
                .badData, "invalid_view", error.message, outcome: "nothing was replayed",
                advice: "see Protocol/views.md for the members of a rule")
        }
        do throws(ViewRuleError) {
            _ = try ViewBinding(params, for: rule)
        } catch {
            throw .usage("--params: \(error.message)", advice: "give a value for each parameter of the view")
        }
        return ViewTurns(.rule(rule), params: params, row: condition)
    }

    /// Returns the predicate, which is then applied to one library at a time.
    private func predicate() throws(Failure) -> @Sendable (ByteString) -> TurnPredicate {
        if let state { return { .isIn(library: $0, phase: state) } }
        guard let entity else { preconditionFailure("the options were checked") }
        if let condition {
            let json = try checked(condition, "--where")
            do throws(MembershipError) {
                let rule = try TurnPredicate.rule(entity.key(library: "").type, where: json)
                return { .matches(entity.key(library: $0), rule) }
            } catch {
                throw .usage(error.optionMessage, advice: "see Protocol/queries.md for conditions")
            }
        }
        guard let query else { return { .exists(entity.key(library: $0)) } }
        let method = ByteString(query)
        do throws(CacheError) {
            let input = try QueryKey(library: "", method: method, input: Array(self.input.utf8)).input
            return {
                .holds(QueryKey(library: $0, method: method, canonicalInput: input), entity.key(library: $0))
            }
        } catch {
            throw .usage("--input: \(error.message)", advice: "pass JSON")
        }
    }

    /// Returns the text as compact JSON.
    private func checked(_ text: String, _ option: String) throws(Failure) -> [UInt8] {
        do throws(CacheError) {
            return try QueryKey(library: "", method: "where", input: Array(text.utf8)).input.bytes
        } catch {
            throw .usage("\(option): \(error.message)", advice: "pass JSON")
        }
    }

    private func reportLibraries(_ libraries: [ByteString], to output: Output) throws(Failure) {
        let names = libraries.prefix(5).map { "\"\(Printable.text($0))\"" }.joined(separator: ", ")
        let rest = libraries.count > 5 ? " and \(HumanText.count(libraries.count - 5)) more" : ""
        let text = "searched all libraries: \(names.isEmpty ? "there are none" : names + rest)"
        try output.writeLine(output.style.paint(text, .dim))
    }

    private func failure(_ error: CacheError) -> Failure {
        guard untilView == nil || error.code == .storageFailed else { return Failure(view: error) }
        return Failure(
            .inputOutput, "input_output", error.message, outcome: "the search stopped",
            advice: "free disk space for the replay")
    }
}

extension LibraryPhase: ExpressibleByArgument {}
