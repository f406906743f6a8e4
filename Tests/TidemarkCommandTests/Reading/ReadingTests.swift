import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct ReadingTests {
    private static let uuid = "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001"

    @Test func `get prints the resource as it is stored`() async throws {
        let fixture = try await DatabaseFixture()
        #expect(try await fixture.run(["get", "file:1"]).outputText == "{\"id\":\"1\",\"n\":1.10}\n")
        let answer =
            "{\"entity\":{\"id\":\"1\",\"big\":18446744073709551615},\"pending\":false,\"sequence\":5,"
            + "\"stale\":false,\"miss\":null}\n"
        #expect(try await fixture.run(["get", "file:1", "--library", "work", "--json"]).outputText == answer)
    }

    @Test(arguments: [uuid, "0C5F4D0E-6A77-4F5E-9B53-6D9AD2A7C001"])
    func `a UUID is found in either case, in the one library that has it`(id: String) async throws {
        let result = try await DatabaseFixture().run(["get", "file:" + id])
        #expect(result.outputText == "{\"id\":\"0C5F4D0E-6A77-4F5E-9B53-6D9AD2A7C001\"}\n")
    }

    @Test(arguments: [("file:none", "absent"), ("file:gone", "deleted"), ("unheard:1", "absent")])
    func `get reports a miss with its reason`(key: String, miss: String) async throws {
        let fixture = try await DatabaseFixture()
        let text = try await fixture.run(["get", key])
        #expect(text.status == 0)
        #expect(text.outputText == "")
        #expect(text.errorText == "tidemark: \(key) is not in the cache (\(miss))\n")
        let json = try await fixture.run(["get", key, "--json"])
        #expect(json.status == 0)
        #expect(
            json.outputText
                == "{\"entity\":null,\"pending\":false,\"sequence\":null,\"stale\":false,\"miss\":\"\(miss)\"}\n")
    }

    @Test func `get reads an id from the named library`() async throws {
        let fixture = try await DatabaseFixture()
        #expect(try await fixture.run(["get", "file:1", "--library", ""]).outputText.contains("1.10"))
        #expect(try await fixture.run(["get", "file:1", "--library", "work"]).outputText.contains("big"))
        #expect(try await fixture.run(["get", "file:1", "--library", "home"]).outputText == "")
    }

    @Test func `export prints every entity in key order`() async throws {
        let fixture = try await DatabaseFixture()
        let expected = [
            #"{"library_id":"","resource_type":"file","id":"1","resource":{"id":"1","n":1.10},"sequence":null}"#,
            #"{"library_id":"home","resource_type":"album","id":"\u001b[31m","resource":{"id":"\u001b[31m"},"#
                + #""sequence":4}"#,
            #"{"library_id":"home","resource_type":"album","id":"summer","#
                + #""resource":{"id":"summer","name":"Été"},"sequence":3}"#,
            #"{"library_id":"home","resource_type":"file","id":"0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001","#
                + #""resource":{"id":"0C5F4D0E-6A77-4F5E-9B53-6D9AD2A7C001"},"sequence":2}"#,
            #"{"library_id":"work","resource_type":"file","id":"1","#
                + #""resource":{"id":"1","big":18446744073709551615},"sequence":5}"#,
        ]
        #expect(try await fixture.run(["export"]).outputLines == expected)
        #expect(try await fixture.run(["export", "--library", "home", "--type", "file"]).outputLines == [expected[3]])
        #expect(try await fixture.run(["export", "--library", "nowhere"]).outputLines == [])
        let file = fixture.folder.path("out")
        #expect(try await fixture.run(["export", "--output", file]).outputText == "")
        #expect(try fixture.folder.read("out") == Array((expected.joined(separator: "\n") + "\n").utf8))
    }

    @Test func `pages follow one another over libraries`() async throws {
        let fixture = try await DatabaseFixture()
        let first = try await fixture.run(["list", "--json", "--limit", "2"])
        #expect(
            first.outputText
                == #"{"entities":[{"id":"1","n":1.10},{"id":"\u001b[31m"}],"next":"album:\u001b[31m","#
                + #""next_library_id":"home"}"# + "\n")
        let second = try await fixture.run(
            ["list", "--json", "--limit", "2", "--after", "album:\u{1B}[31m", "--after-library", "home"])
        #expect(second.outputText.contains(#""next":"file:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001""#))
        let third = try await fixture.run(
            ["list", "--json", "--limit", "2", "--after", "file:" + ReadingTests.uuid, "--after-library", "home"])
        #expect(
            third.outputText
                == #"{"entities":[{"id":"1","big":18446744073709551615}],"next":null,"next_library_id":null}"# + "\n")
    }

    @Test func `a page of one library and one type`() async throws {
        let fixture = try await DatabaseFixture()
        let page = ["list", "--json", "--library", "home", "--type", "album"]
        #expect(
            try await fixture.run(page).outputText
                == #"{"entities":[{"id":"\u001b[31m"},{"id":"summer","name":"Été"}],"next":null}"# + "\n")
        #expect(
            try await fixture.run(page + ["--limit", "1"]).outputText
                == #"{"entities":[{"id":"\u001b[31m"}],"next":"album:\u001b[31m"}"# + "\n")
        #expect(
            try await fixture.run(page + ["--after", "album:\u{1B}[31m"]).outputText
                == #"{"entities":[{"id":"summer","name":"Été"}],"next":null}"# + "\n")
    }

    @Test func `output for people has no escape sequences`() async throws {
        let fixture = try await DatabaseFixture()
        for command in [["list"], ["quarantine", "list"], ["quarantine", "show", "1"]] {
            let result = try await fixture.run(command)
            #expect(result.status == 0)
            #expect(!result.output.isEmpty)
            #expect(!result.output.contains(0x1B))
        }
    }

    @Test func `gaps shows positions and lost ranges`() async throws {
        let fixture = try await DatabaseFixture()
        let json =
            #"{"libraries":{"":{"epoch":"","sequence":null,"state":"cold","lost":[]},"#
            + #""home":{"epoch":"a","sequence":9,"state":"stale","lost":[[2,2],[5,7]]},"#
            + #""work":{"epoch":"","sequence":1,"state":"live","lost":[]}}}"#
        #expect(try await fixture.run(["gaps", "--json"]).outputText == json + "\n")
        let text = """
            LIBRARY    STATE  EPOCH  SEQUENCE  LOST
            (default)  cold   -             -  -
            home       stale  a             9  2, 5–7
            work       live   -             1  -

            """
        #expect(try await fixture.run(["gaps"]).outputText == text)
    }

    @Test func `one long id moves its own line, and is shown whole`() async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 700)
        let lines = ["a", long].map { EventLine.change(#"{"id":"\#($0)"}"#) }
        let database = folder.path("a.db")
        let ingest = try await CommandRunner().run(
            ["ingest", "--db", database], input: Array(lines.joined(separator: "\n").utf8))
        #expect(ingest.status == 0)
        let list = try await CommandRunner().run(["list", "--db", database]).outputLines
        #expect(list.map { $0.count <= 160 } == [true, true, false], "\(list)")
        #expect(list.last?.hasPrefix("file:\(long)  ") == true)
    }

    @Test func `quarantine lists, filters and shows its records`() async throws {
        let fixture = try await DatabaseFixture()
        let member =
            #"{"number":2,"kind":"member","reason":"missing_id","line":8,"offset":823,"library_id":"home","#
            + #""sequence":3,"received_at":"2026-01-22T10:05:34.149Z","byte_count":5000,"complete":false,"#
            + #""text":"{\"name\":\"x\"}"}"#
        let list = ["quarantine", "list", "--json"]
        #expect(
            try await fixture.run(list + ["--reason", "missing_id"]).outputText
                == "{\"quarantine\":[\(member)],\"next\":null}\n")
        #expect(try await fixture.run(list + ["--limit", "1"]).outputText.hasSuffix("\"next\":1}\n"))
        #expect(try await fixture.run(list + ["--after", "1"]).outputText.contains(member))
        #expect(try await fixture.run(["quarantine", "show", "2", "--json"]).outputText == member + "\n")
        let missing = try await fixture.run(["quarantine", "show", "3"])
        #expect(missing.status == 66)
        #expect(missing.errorText.hasPrefix("tidemark: not_found: there is no record 3 in quarantine; "))
    }

    @Test func `stats has the members that programs look for`() async throws {
        let fixture = try await DatabaseFixture()
        let result = try await fixture.run(["stats", "--json"])
        #expect(
            result.outputText.hasPrefix(
                #"{"entities":5,"queries":3,"observers":0,"pending":0,"memory_bytes":0,"memory_limit_bytes":"#))
        let values = try ReferenceJSONParser.parse(Array(result.outputText.utf8.dropLast()))
        func number(_ name: String) -> Int64? {
            (values.member(name)?.written).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        }
        // A quarter of what the process may take, in whole KB.
        let limit = try #require(number("memory_limit_bytes"))
        #expect(limit > 4 << 20)
        #expect(limit % 1_024 == 0)
        #expect(limit <= Int64(clamping: ProcessInfo.processInfo.physicalMemory / 4))
        #expect(try #require(number("disk_bytes")) > 100_000)
        for name in ["free_disk_bytes", "reads_per_second", "writes_per_second", "stored_bytes", "log_bytes"] {
            #expect(number(name) == 0, "\(name)")
        }
        #expect(
            result.outputText.hasSuffix(
                #""storage":"ok","lines":12,"events":{"applied":9,"duplicate":0,"ignored":1,"quarantined":1,"held":0},"#
                    + #""members_quarantined":1,"reconciled":0,"late":0,"blank":1,"control":0,"messages":0,"#
                    + #""ignored_kinds":{"JobProgress":1}}"# + "\n"))
        #expect(
            try await fixture.run(["stats"]).outputText.hasPrefix(
                "entities               5\nqueries                3\n"))
    }

    @Test func `verify accepts a sound database`() async throws {
        let result = try await DatabaseFixture().run(["verify", "--json"])
        #expect(result.status == 0)
        #expect(result.outputText.hasPrefix("{\"ok\":true,\"entities\":5,\"payload_bytes\":"))
        #expect(
            result.outputText.hasSuffix(
                ",\"queries\":3,\"missing\":1,\"layers\":0,\"problem_count\":0,\"problems\":[]}\n"))
    }

    @Test func `a damaged row is left out, and the exit status reports it`() async throws {
        let fixture = try await DatabaseFixture()
        var bytes = try fixture.folder.read("a.db")
        // The resource is so small that it is stored raw; SQLite cannot notice one flipped bit in it.
        let isFound = bytes.flip(in: "18446744073709551615")
        #expect(isFound)
        try fixture.folder.write(bytes, to: "a.db")
        let export = try await fixture.run(["export"])
        #expect(export.status == 65)
        #expect(export.outputLines.count == 4)
        #expect(export.errorText.hasPrefix("tidemark: damaged: "))
        #expect(try await fixture.run(["verify"]).status == 65)
        #expect(try await fixture.run(["get", "file:1", "--library", "home"]).status == 0)
    }

    @Test func `a file of another program is refused and not changed`() async throws {
        let fixture = try await DatabaseFixture()
        let bytes = Array("SQLite format 3\u{0}, or so it says; not a database at all".utf8)
        try fixture.folder.write(bytes, to: "a.db")
        let result = try await fixture.run(["list"])
        #expect([65, 78].contains(result.status))
        #expect(try fixture.folder.read("a.db") == bytes)
    }
}
