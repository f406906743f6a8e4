import Foundation
import Hummingbird
import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkServer
import TidemarkTesting
import TidemarkTestKit

/// The server's paths on a program's own router.
@Suite(.pooled) struct MountTests {
    @Test(arguments: [
        #""graphql.read","params":{"document":"{ a }"}"#,
        #""graphql.part","params":{"fetch":1,"data":{}}"#,
        #""graphql.mutate","params":{"document":"mutation { a }"}"#,
        #""http.fetch","params":{"url":"http://a.test/"}"#,
    ])
    func `methods of wings that the program did not attach are refused`(request: String) async throws {
        let served = try await ServedCache()
        let answer = try await served.call(#"{"jsonrpc":"2.0","id":1,"method":\#(request)}"#)
        #expect(answer.text.contains(#""code":"upstream_failed""#), "\(answer.text)")
        try await served.stop()
    }

    @Test func `a program's own router has the paths, with all of their checks`() async throws {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let token = AccessToken()
        // The port has to be known before: a free one is taken and given back.
        let port = try ScriptedUpstream { _ in "" }
        let number = try #require(Int(port.address.split(separator: ":")[2].prefix { $0 != "/" }))
        port.stop()
        let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token, port: number))
        let router = Router()
        router.get("/own") { _, _ in "mine" }
        server.mount(on: router)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: number)),
            onServerRunning: { _ in started.yield(1) }, logger: logger)
        let running = Task { try await application.run() }
        let time = Task { await server.keepTime() }
        for await _ in ports { break }
        let host = "Host: 127.0.0.1:\(number)\r\n"
        let bearer = "Authorization: Bearer \(token.text)\r\n"
        try await onThread {
            let event = ServedCommand.event("1", sequence: 1)
            let stream = try RawConnection(port: number)
            stream.write("GET /stream HTTP/1.1\r\n\(host)\(bearer)\r\n")
            let hello = try stream.text(through: "\"}\n\n")
            #expect(hello.contains("event: hello\n"))
            for (request, status) in [
                ("GET /own HTTP/1.1\r\n\(host)\r\n", 200), ("GET /healthz HTTP/1.1\r\n\(host)\r\n", 200),
                (
                    "POST /events HTTP/1.1\r\n\(host)\(bearer)Content-Type: application/x-ndjson\r\nContent-Length: \(event.utf8.count)\r\n\r\n\(event)",
                    200
                ),
                ("GET /entities/file/1?library_id=home HTTP/1.1\r\n\(host)\(bearer)\r\n", 200),
                ("GET /entities/file/1 HTTP/1.1\r\n\(host)\r\n", 401),
                ("GET /entities/file/1 HTTP/1.1\r\nHost: evil.example\r\n\(bearer)\r\n", 421),
                ("GET /rpc HTTP/1.1\r\n\(host)\(bearer)\r\n", 405), ("GET / HTTP/1.1\r\n\(host)\r\n", 200),
                ("GET /inspector.js HTTP/1.1\r\n\(host)\r\n", 200),
                ("GET /recording HTTP/1.1\r\n\(host)\(bearer)\r\n", 404),
            ] {
                let connection = try RawConnection(port: number)
                connection.write(request)
                #expect(try connection.answer().status == status, "\(request)")
            }
            let state = try stream.text(through: "\"method\":\"library.state\"")
            #expect(state.contains("id: 1\n"))
        }
        running.cancel()
        time.cancel()
        _ = await running.result
        try await cache.close()
    }
}
