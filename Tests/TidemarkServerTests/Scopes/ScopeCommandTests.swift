import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// Scopes of the built command, with signed tokens, killed and started again.
@Suite(.pooled, .ownThreads, .tags(.process)) struct ScopeCommandTests {
    private static let key = Array("a secret of at least 32 bytes, for tests".utf8)

    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// A token by HS256.
    private static func token(_ subject: String, seconds: Double = 600, key: [UInt8] = ScopeCommandTests.key) -> String
    {
        let head = encoded(Array(#"{"alg":"HS256","kid":"a","typ":"JWT"}"#.utf8))
        let expiry = Int(Date.now.timeIntervalSince1970 + seconds)
        let claims = encoded(Array(#"{"sub":"\#(subject)","exp":\#(expiry)}"#.utf8))
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256Digest(of: padded.map { $0 ^ 0x36 } + Array("\(head).\(claims)".utf8)).bytes
        let code = SHA256Digest(of: padded.map { $0 ^ 0x5C } + inner).bytes
        return "\(head).\(claims).\(encoded(code))"
    }

    private static func writeKeys(_ folder: TemporaryFolder, _ key: [UInt8] = ScopeCommandTests.key) throws {
        let path = folder.path("keys.json")
        try Data(#"{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"\#(encoded(key))"}]}"#.utf8)
            .write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static func serve(_ folder: TemporaryFolder) throws -> ServedCommand {
        try ServedCommand(
            ["--scopes", folder.path("scopes.json"), "--jwt-keys", folder.path("keys.json")], in: folder)
    }

    private static func prepare(_ file: String = ServedScopes.file) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Data(file.utf8).write(to: URL(filePath: folder.path("scopes.json")))
        try writeKeys(folder)
        return folder
    }

    private static func stream(_ server: ServedCommand, _ path: String, _ token: String) throws -> RawConnection {
        let connection = try server.connect()
        connection.write(server.request("GET", path, ["Authorization: Bearer \(token)"], hasToken: false))
        let head = try connection.head()
        guard head.status == 200 else { throw RawFailure("no stream: \(head.status)") }
        return connection
    }

    private static func line(_ connection: RawConnection) throws -> ReadLine {
        while true {
            let text = try connection.text(through: "\n").trimmingCharacters(in: .newlines)
            if text.hasPrefix("{") { return try ReadLine(text) }
        }
    }

    @Test func `a server that is killed goes on with the numbers that it sent`() async throws {
        try await onThread {
            let folder = try Self.prepare()
            var server = try Self.serve(folder)
            try server.feed(ServedScopes.member("u1", "p1") + "\n")
            let path = "/scopes/project?project=p1"
            var shown: Set<Int> = []
            var last: ReadLine?
            for round in 0..<8 {
                var target = path
                if let epoch = last?.epoch, let sequence = last?.sequence {
                    target += "&after=\(sequence)&epoch=\(epoch)"
                }
                let connection = try Self.stream(server, target, Self.token("u1"))
                let first = try Self.line(connection)
                #expect(first.isReset == (round == 0), "round \(round): \(first.text)")
                var line = first
                while !line.isHeartbeat {
                    if let number = line.text.firstMatch(of: /"n":([0-9]+)/).flatMap({ Int($0.1) }) {
                        shown.insert(number)
                    }
                    if line.sequence != nil { last = line }
                    line = try Self.line(connection)
                }
                if line.sequence != nil { last = line }
                for number in (round * 10)..<(round * 10 + 5) {
                    let issue = #"{"id":"i\#(number)","project":"p1","n":\#(number)}"#
                    try server.feed(ServedScopes.change("issue", issue) + "\n")
                    let change = try Self.line(connection)
                    #expect(change.previous == last?.sequence)
                    #expect(change.text.contains("\"n\":\(number)}"))
                    shown.insert(number)
                    last = change
                }
                // Acknowledged, and perhaps sent: the next start tells.
                let issue = #"{"id":"i\#(round * 10 + 5)","project":"p1","n":\#(round * 10 + 5)}"#
                try server.feed(ServedScopes.change("issue", issue) + "\n")
                server.kill()
                _ = server.stop()
                server = try Self.serve(folder)
            }
            let end = try Self.stream(
                server, path + "&after=\(last?.sequence ?? 0)&epoch=\(last?.epoch ?? "")", Self.token("u1"))
            let line = try Self.line(end)
            #expect(line.text.contains("\"n\":75}"))
            shown.insert(75)
            #expect(shown == Set((0..<8).flatMap { round in (0...5).map { round * 10 + $0 } }))
            _ = server.stop()
        }
    }

    @Test func `a signal reads the file and the keys anew, and a broken file is refused`() async throws {
        try await onThread {
            let folder = try Self.prepare()
            let server = try Self.serve(folder)
            try server.feed(ServedScopes.change("project", #"{"id":"p1","public":true,"n":1}"#) + "\n")
            let connection = try Self.stream(server, "/scopes/public", Self.token("u1"))
            while try !Self.line(connection).isHeartbeat {}
            try Data("{".utf8).write(to: URL(filePath: folder.path("scopes.json")))
            server.hangUp()
            let other = ServedScopes.file.replacing(
                #""public": {"types": {"project": {"#, with: #""public": {"types": {"project": {"fields": ["id"], "#)
            try Data(other.utf8).write(to: URL(filePath: folder.path("scopes.json")))
            server.hangUp()
            #expect(try Self.line(connection).isReset)
            #expect(try Self.line(connection).event.contains(#""resource":{"id":"p1"}"#))
            _ = try Self.line(connection)
            let key = Array("another secret of at least 32 bytes, too".utf8)
            try Self.writeKeys(folder, key)
            server.hangUp()
            #expect(try Self.line(connection).text == #"{"bye":{"reason":"token_revoked"}}"#)
            let refused = try server.ask(
                "GET", "/scopes/public", ["Authorization: Bearer \(Self.token("u1"))"], hasToken: false)
            #expect(refused.status == 401)
            _ = try Self.stream(server, "/scopes/public", Self.token("u1", key: key))
            _ = server.stop()
        }
    }
}
