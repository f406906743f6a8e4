import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The files of the inspector's page, and the recording that it saves.
@Suite(.pooled, .tags(.process)) struct PageTests {
    /// The texts of the page as they are checked in.
    private static let texts = URL(filePath: #filePath)
        .appending(path: "../../../../Sources/TidemarkInspector/Generated/InspectorPage.swift").standardized

    @Test func `the page and its files are served without a token, as they are checked in`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let texts = try String(contentsOf: PageTests.texts, encoding: .utf8)
            for (path, name, type) in [
                ("/", "html", "text/html; charset=utf-8"),
                ("/inspector.js", "script", "text/javascript; charset=utf-8"),
                ("/inspector.css", "style", "text/css; charset=utf-8"),
                ("/icon.svg", "icon", "image/svg+xml"),
            ] {
                let answer = try server.ask("GET", path, hasToken: false)
                #expect(answer.status == 200 && answer.field("Content-Type") == type, "\(path)")
                #expect(texts.contains("static let \(name) = #\"\"\"\n\(answer.text)\n\"\"\"#\n"), "\(path)")
                #expect(answer.field("Content-Security-Policy") == "default-src 'self'; frame-ancestors 'none'")
                #expect(answer.field("X-Content-Type-Options") == "nosniff" && answer.field("Set-Cookie") == nil)
                let tag = try #require(answer.field("ETag"))
                let again = try server.ask("GET", path, ["If-None-Match: \(tag)"], hasToken: false)
                #expect(again.status == 304 && again.body.isEmpty && again.field("ETag") == tag, "\(path)")
            }
            // Only these: no folder is served.
            for path in ["/index.html", "/inspector.ts", "/icon.svg/", "//", "/.", "/inspector.js%00"] {
                #expect(try server.ask("GET", path).status == 404, "\(path)")
                #expect(try server.ask("GET", path, hasToken: false).status == 401, "\(path)")
            }
            #expect(
                try server.ask("POST", "/", ["Sec-Fetch-Site: none"], body: [], hasToken: false).field("Allow")
                    == "GET, HEAD"
            )
            let end = server.stop()
            #expect(end.status == 0)
            #expect(
                end.errors == "tidemark: the inspector is at http://127.0.0.1:\(server.port)/#token=\(server.token)\n")
        }
    }

    @Test func `a reader beside a writer has the page too`() async throws {
        try await onThread {
            let writer = try ServedCommand()
            try writer.feed(ServedCommand.event("1"))
            let reader = try ServedCommand(["--read-only"], in: writer.folder)
            #expect(try reader.ask("GET", "/", hasToken: false).text.contains("inspector.js"))
            #expect(try reader.ask("GET", "/recording").status == 404)
            #expect(reader.stop().status == 0)
            #expect(writer.stop().status == 0)
        }
    }

    @Test func `a recording is saved while it goes on, and the command replays it to the same entities`() async throws {
        let folder = try TemporaryFolder()
        let expected = try await onThread {
            let server = try ServedCommand(["--record", folder.path("all.rec")])
            #expect(try server.ask("GET", "/recording", hasToken: false).status == 401)
            try server.feed(
                (1...500).map { ServedCommand.event("\($0 % 20)", "n\($0)", sequence: $0) }.joined() + "broken\n")
            let answer = try server.ask("GET", "/recording")
            #expect(answer.status == 200 && answer.field("Content-Type") == "application/x-ndjson")
            #expect(answer.field("Content-Disposition") == #"attachment; filename="tidemark.rec""#)
            try folder.write(answer.body, to: "saved.rec")
            let entities = try server.ask("GET", "/export").text
            // What comes later is in the recording, and not in the copy.
            try server.feed(ServedCommand.event("late", sequence: 501))
            #expect(server.stop().status == 0)
            return entities
        }
        for (name, hasLate) in [("saved.rec", false), ("all.rec", true)] {
            let replayed = try await CommandRunner().run(
                ["replay", folder.path(name), "--db", folder.path("\(name).db")])
            #expect(replayed.status == 0, "\(replayed.errorText)")
            let export = try await CommandRunner().run(["export", "--db", folder.path("\(name).db")]).outputText
            if hasLate {
                #expect(export != expected && export.contains("late"))
            } else {
                #expect(export == expected)
            }
        }
        let lines = try String(decoding: folder.read("saved.rec"), as: UTF8.self).split(separator: "\n")
        #expect(lines.last == #"{"end":true,"reason":"a copy was saved; the recording went on"}"#)
    }

    @Test func `where nothing is recorded the answer says how`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let answer = try server.ask("GET", "/recording")
            #expect(answer.status == 404 && answer.code == "not_found" && answer.text.contains("--record FILE"))
            #expect(server.stop().status == 0)
        }
    }
}
