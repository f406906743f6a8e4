import ArgumentParser
import Tidemark
import TidemarkJSON
import TidemarkLiveViews
import TidemarkModel
import TidemarkViews

/// `tidemark view define`: keeps a view under a name.
struct ViewDefineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "define",
        abstract: "Keep a view under a name.",
        discussion: """
            From then on every process that opens the database knows the view, and run, serve and ingest keep \
            its result. Another view of that name is replaced. Needs the database's lock; a session does the same with view.define.

            EXAMPLE
              tidemark view define open-issues --view open-issues.json --db cache.db
              tidemark view read open-issues --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var rule: RuleOptions
    @OptionGroup var format: FormatOptions
    @Argument(help: ArgumentHelp("The name, 1 to 128 bytes.", valueName: "name"))
    var name: String

    func validate() throws {
        guard 1...ViewEngine.nameByteCountMax ~= name.utf8.count else {
            throw ValidationError("A name has 1 to \(ViewEngine.nameByteCountMax) bytes, not \(name.utf8.count).")
        }
    }

    func run() async throws {
        let checked = try rule.viewRule()
        let library = try FileView.library(scope.library, of: try CacheReader(database))
        let rowCount = try await define(checked, in: library)
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.member("name", ByteString(name))
                line.member("library_id", library)
                line.member("rows", json: rowCount.map { Array("\($0)".utf8) })
            }
            try output.writeLine(line.bytes)
        } else {
            let rows = rowCount.map { ", \(HumanText.count($0, "row"))" } ?? ""
            try output.writeLine("defined \(Printable.text(ByteString(name)))\(rows)")
        }
        try output.flush()
    }

    /// Defines the view.
    ///
    /// - Returns: The rows before any window is cut; nil for a view with parameters.
    private func define(_ rule: ViewRule, in library: ByteString) async throws -> Int? {
        let name = ByteString(name)
        return try await ViewWriting.withCache(database) { (engine, cache) throws(CacheError) in
            let number = try engine.beginDefinition(name, rule, in: library, cache: cache)
            try await engine.finish(definition: number, cache: cache)
            return engine.list(in: library).first { $0.name == name }?.rowCount
        }
    }
}

/// `tidemark view drop`: forgets a defined view.
struct ViewDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Forget a defined view.",
        discussion: """
            The entities stay. Needs the database's lock; a session does the same with view.drop.

            EXAMPLE
              tidemark view drop open-issues --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @Argument(help: ArgumentHelp("The name.", valueName: "name"))
    var name: String

    func run() async throws {
        let reader = try CacheReader(database)
        let library = try FileView.library(scope.library, of: reader)
        _ = try DefinedViews(reader, library: library).rule(named: ByteString(name))
        let name = ByteString(name)
        try await ViewWriting.withCache(database) { (engine, cache) throws(CacheError) in
            try await cache.write(try engine.drop(name, in: library, cache: cache))
        }
        let output = Output.standard()
        try output.writeLine("dropped \(Printable.text(name))")
        try output.flush()
    }
}

/// What the commands that change definitions have in common.
enum ViewWriting {
    /// Opens the database for writing, with its views.
    static func withCache<Result: Sendable>(
        _ database: DatabaseOptions,
        _ body: @Sendable (ViewEngine, isolated SyncCache) async throws(CacheError) -> Result
    ) async throws -> Result {
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(journal: journal)
        do {
            try await ViewEngine.attach(to: cache)
            let result = try await cache.withWing(ViewEngine.self, body)
            try await cache.close()
            return result
        } catch let error as CacheError {
            try await cache.close()
            throw Failure(view: error)
        } catch {
            try await cache.close()
            throw error
        }
    }
}
