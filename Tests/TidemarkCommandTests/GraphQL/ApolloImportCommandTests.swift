import Foundation
import GRDBSQLite
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// `tidemark graphql import-apollo` with files that are made as Apollo iOS makes them.
@Suite(.pooled, .tags(.process)) struct ApolloImportCommandTests {
    private let folder: TemporaryFolder
    private let database: String
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        (database, file) = (folder.path("cache.db"), folder.path("apollo.sqlite"))
    }

    /// The statements with which Apollo iOS creates its file, and the records.
    private func makeFile(_ records: KeyValuePairs<String, String>) throws {
        var connection: OpaquePointer?
        try #require(sqlite3_open(file, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let rows = records.map { "INSERT OR REPLACE INTO \"records\" (\"key\", \"record\") VALUES ('\($0)', '\($1)')" }
        for statement in [
            """
            CREATE TABLE IF NOT EXISTS "records" ("_id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
                "key" TEXT UNIQUE NOT NULL, "record" TEXT NOT NULL)
            """, "CREATE UNIQUE INDEX IF NOT EXISTS \"index_records_on_key\" ON \"records\" (\"key\")",
        ] + rows {
            try #require(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK, "\(statement)")
        }
    }

    private func makeHeroes() throws {
        try makeFile([
            "QUERY_ROOT": #"{"hero(episode:JEDI)":{"$reference":"Character:1"}}"#,
            "Character:1":
                #"{"__typename":"Character","id":"1","name":"R2-D2","friends(first:2)":[{"$reference":"Character:2"}]}"#,
            "Character:2":
                #"{"__typename":"Character","id":"2","name":"Luke","home":{"$reference":"Character:2.home"}}"#,
            "Character:2.home": #"{"__typename":"Planet","name":"Tatooine"}"#,
            "SUBSCRIPTION_ROOT": "{}",
        ])
    }

    private func importFile(_ arguments: [String] = []) async throws -> CommandResult {
        try await CommandRunner().run(["graphql", "import-apollo", "--db", database, "--json"] + arguments + [file])
    }

    private func read(_ words: String) async throws -> String {
        let document = #"{ hero(episode: JEDI) { name friends(first: 2) { name home { name } } } }"#
        let result = try await CommandRunner().run(
            ["run", "--db", database, "--upstream", "none"],
            input: Array(
                (#"{"jsonrpc":"2.0","id":1,"method":"graphql.read","params":{"document":"\#(document)"\#(words)}}"#
                    + "\n")
                    .utf8))
        return result.outputLines.first { $0.contains(#""id":1"#) } ?? "nothing"
    }

    @Test func `an imported cache answers a document, as stale data`() async throws {
        try makeHeroes()
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let result = try await importFile()
        #expect(result.status == 0, "\(result.errorText)")
        #expect(
            result.outputLines
                == [#"{"entities":2,"root_fields":1,"skipped_records":0,"skipped_fields":0}"#])
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        let answer = try await read(#","policy":"cacheOnly","allow_stale":true"#)
        #expect(
            answer.contains(
                #""data":{"hero":{"name":"R2-D2","friends":[{"name":"Luke","home":{"name":"Tatooine"}}]}}"#),
            "\(answer)")
        #expect(answer.contains(#""stale":true"#))
        let refusal = try await read(#","policy":"cacheOnly""#)
        #expect(refusal.contains(#""reason":"stale""#), "\(refusal)")
    }

    @Test func `a library that has entities is not touched`() async throws {
        try makeHeroes()
        #expect(try await importFile().status == 0)
        let before = try await CommandRunner().run(["export", "--db", database]).outputText
        let again = try await importFile()
        #expect(again.status == 78 && again.errorText.hasPrefix("tidemark: not_empty: "), "\(again.errorText)")
        #expect(try await CommandRunner().run(["export", "--db", database]).outputText == before)
        #expect(try await importFile(["--library", "other"]).status == 0)
    }

    @Test func `other files are refused, and no database is made`() async throws {
        #expect(try await importFile().status == 66)
        try Data("no database".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await importFile().status == 78)
        try FileManager.default.removeItem(atPath: file)
        var connection: OpaquePointer?
        try #require(sqlite3_open(file, &connection) == SQLITE_OK)
        try #require(sqlite3_exec(connection, "CREATE TABLE records (name TEXT)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
        let refused = try await importFile()
        #expect(refused.status == 78 && refused.errorText.hasPrefix("tidemark: not_ours: "), "\(refused.errorText)")
        #expect(!FileManager.default.fileExists(atPath: database))
    }
}
