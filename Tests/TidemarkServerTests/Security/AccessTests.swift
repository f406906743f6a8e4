import Foundation
import HTTPTypes
import TestTraits
import Testing
import TidemarkTesting

@testable import TidemarkServer

/// The right to ask: token, file, names, paths.
@Suite(.pooled) struct AccessTests {
    @Test func `a token has 256 bits of randomness and hides itself`() {
        let tokens = (0..<100).map { _ in AccessToken() }
        #expect(Set(tokens).count == 100)
        for token in tokens {
            #expect(token.text.wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(!"\(token)".contains(token.text))
            #expect(AccessToken(token.text) == token)
        }
    }

    @Test func `only the whole token matches`() {
        let token = AccessToken()
        #expect(token.matches(token.text.utf8))
        #expect(!token.matches("".utf8))
        #expect(!token.matches(token.text.dropLast().utf8))
        #expect(!token.matches((token.text + "0").utf8))
        #expect(!token.matches((token.text + token.text).utf8))
        for index in 0..<64 {
            var other = Array(token.text.utf8)
            other[index] ^= 1
            #expect(!token.matches(other))
        }
    }

    @Test func `the file of the token is made for its user alone, and kept`() throws {
        let folder = try TemporaryFolder()
        let file = TokenFile(path: folder.path("a.token"))
        let token = try file.token()
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        #expect(try folder.read("a.token") == Array((token.text + "\n").utf8))
        #expect(try file.token() == token)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.token"])
    }

    @Test(arguments: [0o644, 0o640, 0o606, 0o660, 0o622, 0o601])
    func `a file that others can use is refused`(mode: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write(Array((AccessToken().text + "\n").utf8), to: "a.token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("a.token"))
        #expect { try TokenFile(path: folder.path("a.token")).token() } throws: {
            ($0 as? TokenFile.Fault)?.isUnsafe == true
        }
    }

    @Test func `a file without a token, a folder and a link are refused`() throws {
        let folder = try TemporaryFolder()
        for (name, text) in [("short", "abc\n"), ("upper", String(repeating: "A", count: 64)), ("empty", "")] {
            try folder.write(Array(text.utf8), to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
            #expect(throws: TokenFile.Fault.self, "\(name)") { try TokenFile(path: folder.path(name)).token() }
            #expect(try folder.read(name) == Array(text.utf8))
        }
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
        #expect(throws: TokenFile.Fault.self) { try TokenFile(path: folder.path("folder")).token() }
        _ = try TokenFile(path: folder.path("real")).token()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("real"))
        #expect(throws: TokenFile.Fault.self) { try TokenFile(path: folder.path("link")).token() }
        #expect { try TokenFile(path: folder.path("none/a.token")).token() } throws: {
            ($0 as? TokenFile.Fault)?.isUnsafe == false
        }
    }

    @Test func `loopback has its three names, and nothing else`() {
        let hosts = ServedHosts(host: "127.0.0.1", port: 7_420, allowedOrigins: [], isEncrypted: false)
        for host in ["127.0.0.1:7420", "localhost:7420", "LOCALHOST:7420", "[::1]:7420"] { #expect(hosts.serves(host)) }
        for host in ["127.0.0.1", "127.0.0.2:7420", "localhost", "localhost:7421", "evil:7420", "localhost.:7420", ""] {
            #expect(!hosts.serves(host), "\(host)")
        }
        #expect(ServedHosts(host: "127.0.0.1", port: 80, allowedOrigins: [], isEncrypted: false).serves("localhost"))
        #expect(ServedHosts(host: "::1", port: 1, allowedOrigins: [], isEncrypted: false).serves("[::1]:1"))
    }

    @Test func `every address is served by its number, and a proxy by the name of its origin`() {
        let hosts = ServedHosts(
            host: "0.0.0.0", port: 7_420, allowedOrigins: ["https://App.example"], isEncrypted: false)
        for host in ["10.0.0.5:7420", "[fe80::1]:7420", "app.example"] { #expect(hosts.serves(host), "\(host)") }
        for host in ["evil.example:7420", "localhost:7420", "10.0.0.5:80", "10.0.0.500:7420", "app.example:7420"] {
            #expect(!hosts.serves(host), "\(host)")
        }
        #expect(hosts.allows(origin: "https://app.example"))
        #expect(!hosts.allows(origin: "http://app.example"))
    }

    @Test(arguments: [(false, ["http"]), (true, ["https"]), (nil, ["http", "https"])] as [(Bool?, [String])])
    func `the server's own origin has the scheme that the server speaks`(isEncrypted: Bool?, own: [String]) {
        let hosts = ServedHosts(host: "127.0.0.1", port: 7_420, allowedOrigins: [], isEncrypted: isEncrypted)
        for scheme in ["http", "https", "HTTP", "ftp", ""] {
            let isOwn = hosts.isOwn(origin: "\(scheme)://127.0.0.1:7420", host: "127.0.0.1:7420")
            #expect(isOwn == own.contains(scheme.lowercased()), "\(scheme)")
        }
        #expect(!hosts.isOwn(origin: "http://localhost:7420", host: "127.0.0.1:7420"))
    }

    @Test func `a page of an allowed origin may ask first, and sees the answer`() throws {
        let token = AccessToken()
        let check = RequestCheck(
            hosts: ServedHosts(host: "127.0.0.1", port: 1, allowedOrigins: ["https://app.example"], isEncrypted: false),
            token: token,
            isReadOnly: false)
        var head = HTTPRequest(method: .options, scheme: "http", authority: "127.0.0.1:1", path: "/rpc")
        head.headerFields[.origin] = "https://app.example"
        head.headerFields[.accessControlRequestMethod] = "POST"
        #expect(try check.check(head).isPreflight)
        head.method = .post
        #expect { try check.check(head) } throws: { ($0 as? Refusal)?.code == .unauthorized }
        head.headerFields[.authorization] = "bearer \(token.text)"
        head.headerFields[.secFetchSite] = "cross-site"
        #expect(try check.check(head) == .init(route: .messages, allowedOrigin: "https://app.example"))
    }

    @Test func `paths are taken as they are written`() {
        #expect(ServerRoute(path: "/rpc?x=1") == .messages)
        #expect(ServerRoute(path: "/entities/file/a%2Fb%20c") == .entity(type: "file", id: "a/b c"))
        #expect(ServerRoute(path: "/?x=1")?.isOpen == true)
        #expect(ServerRoute(path: "/inspector.js")?.isOpen == true)
        #expect(ServerRoute(path: "/entities/file") == .entities(type: "file"))
        for path in [
            "", "/rpc/", "/index.html", "/inspector.js/", "/INSPECTOR.JS", "//rpc", "/RPC", "/entities", "/entities/",
            "/entities//1", "/entities/a/",
            "/entities/a/b/c", "/entities/a/%",
        ] {
            #expect(ServerRoute(path: path) == nil, "\(path)")
        }
    }

    @Test func `parameters are known, and given once`() throws {
        let items = try QueryItems(path: "/x?after=file%3A1&limit=", known: ["after", "limit"])
        #expect(items["after"] == "file:1")
        #expect(items["limit"] == "")
        for path in ["/x?a=1", "/x?after=1&after=1", "/x?after=%f", "/x?after=%ff"] {
            #expect(throws: Refusal.self, "\(path)") { try QueryItems(path: path, known: ["after"]) }
        }
    }
}
