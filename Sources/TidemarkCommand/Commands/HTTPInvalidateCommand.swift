import ArgumentParser
import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkJSON

/// `tidemark http invalidate`: removes stored responses.
struct HTTPInvalidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invalidate",
        abstract: "Remove stored HTTP answers.",
        discussion: """
            Removes the answers of a URL, or of all that begin so, or all. Needs the database's lock.

            EXAMPLE
              tidemark http invalidate https://example.com/a --db cache.db
              tidemark http invalidate --db cache.db --prefix https://example.com/
            """)

    @Argument(help: ArgumentHelp("Only this URL, as --url.", valueName: "url"))
    var place: String?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only this URL.", valueName: "url"))
    var url: String?
    @Option(help: ArgumentHelp("Only URLs that begin so.", valueName: "text"))
    var prefix: String?
    @Flag(help: "All answers.")
    var all = false

    func validate() throws {
        guard place == nil || url == nil else { throw ValidationError("The URL is given twice.") }
        guard all || url != nil || place != nil || prefix.map({ !$0.isEmpty }) == true else {
            throw ValidationError("Say what to remove: a URL, --prefix or --all.")
        }
    }

    static func url(_ text: String) throws(Failure) -> ByteString {
        do throws(HTTPURL.Fault) {
            return try HTTPURL(ByteString(text)).text
        } catch {
            throw .usage(error.description, advice: "pass a URL of http or https")
        }
    }

    func run() async throws {
        var selection = HTTPSelection(library: scope.library, prefix: prefix.map { ByteString($0) })
        if let url = url ?? place { selection.url = try HTTPInvalidateCommand.url(url) }
        // Open a reader first: an invalidation must not create a missing database.
        _ = try SQLiteReader(path: database.path, encryption: try database.key.encryption())
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: journal)
        let count = try await journal.writeHTTP([.removeAll(selection)])
        try await cache.close()
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { $0.member("removed", count) }
            try output.writeLine(line.bytes)
        } else {
            try output.writeLine("\(HumanText.count(count)) removed")
        }
        try output.flush()
    }
}
