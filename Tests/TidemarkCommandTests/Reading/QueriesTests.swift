import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct QueriesTests {
    private static let lines = [
        #"{"library_id":"home","method":"albums.list","input":{"sort":"name"},"resource_type":"album","count":2,"#
            + #""local":false,"membership":null,"tags":null,"as_of":9,"stored_at":"2026-01-22T10:05:34.149Z","#
            + #""ttl":60,"stale_since":null"#,
        #"{"library_id":"work","method":"files.list","input":{"n":1.10,"name":"\u001b[31m"},"#
            + #""resource_type":"file","count":2,"local":true,"membership":{"resource_type":"file"},"tags":["x"],"#
            + #""as_of":null,"stored_at":"2026-01-22T10:05:34.149Z","ttl":1.500,"#
            + #""stale_since":"2026-01-22T10:05:34.150Z""#,
        #"{"library_id":"home","method":"files.list","input":null,"resource_type":"file","count":1,"local":false,"#
            + #""membership":null,"tags":null,"as_of":null,"stored_at":"1970-01-01T00:00:00.000Z","ttl":null,"#
            + #""stale_since":null"#,
    ]
    private static let keys = [
        #","keys":["album:summer","album:\u001b[31m"]"#, #","keys":["file:1","file:none"]"#,
        #","keys":["file:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001"]"#,
    ]

    @Test func `queries prints one object a line, with the keys when asked`() async throws {
        let fixture = try await DatabaseFixture()
        let lines = QueriesTests.lines.map { $0 + "}" }
        #expect(try await fixture.run(["queries", "--json"]).outputLines == lines)
        let whole = zip(QueriesTests.lines, QueriesTests.keys).map { $0 + $1 + "}" }
        #expect(try await fixture.run(["queries", "--json", "--keys"]).outputLines == whole)
        #expect(try await fixture.run(["queries", "--json", "--library", "home"]).outputLines == [lines[0], lines[2]])
        #expect(
            try await fixture.run(["queries", "--json", "--method", "files.list"]).outputLines == [lines[1], lines[2]])
        let one = ["queries", "--json", "--library", "home", "--method", "files.list"]
        #expect(try await fixture.run(one).outputLines == [lines[2]])
        #expect(try await fixture.run(["queries", "--json", "--library", "nowhere"]).outputLines == [])
    }

    @Test func `queries prints a table or the lists for people`() async throws {
        let fixture = try await DatabaseFixture()
        let table = """
            METHOD       TYPE   COUNT  STORED                    STALE SINCE      LIVES  INPUT
            albums.list  album      2  2026-01-22T10:05:34.149Z  -            1 min 0 s  {"sort":"name"}
            files.list   file       1  1970-01-01T00:00:00.000Z  -                    -  null

            """
        #expect(try await fixture.run(["queries", "--library", "home"]).outputText == table)
        #expect(try await fixture.run(["queries"]).outputText.hasPrefix("LIBRARY  METHOD "))
        let lists = """
            albums.list {"sort":"name"} of library home: 2 elements
              album:summer
              album:\u{FFFD}[31m
            files.list {"n":1.10,"name":"\\u001b[31m"} of library work: 2 elements, stale
              file:1
              file:none
            files.list null of library home: 1 element
              file:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001

            """
        #expect(try await fixture.run(["queries", "--keys"]).outputText == lists)
        #expect(try await fixture.run(["queries", "--method", "none"]).outputText == "No queries.\n")
        #expect(try await fixture.run(["queries", "--method", "none", "--keys"]).outputText == "No queries.\n")
    }

    @Test func `a damaged query is left out, and the exit status reports it`() async throws {
        let fixture = try await DatabaseFixture()
        var bytes = try fixture.folder.read("a.db")
        let isFound = bytes.flip(in: #"{"sort":"name"}"#, at: 3)
        #expect(isFound)
        try fixture.folder.write(bytes, to: "a.db")
        let result = try await fixture.run(["queries", "--json"])
        #expect(result.status == 65)
        #expect(result.outputLines == QueriesTests.lines.dropFirst().map { $0 + "}" })
        #expect(result.errorText.hasPrefix("tidemark: damaged: 1 row failed the check, the first is query 1; "))
        let verify = try await fixture.run(["verify", "--json"])
        #expect(verify.status == 65)
        #expect(verify.outputText.contains(#""problems":["damaged query, row 1: checksum_mismatch"]"#))
    }

    @Test func `a database that is not there ends with 66`() async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(["queries", "--db", folder.path("none.db")])
        #expect(result.status == 66)
        #expect(result.outputText == "")
    }
}
