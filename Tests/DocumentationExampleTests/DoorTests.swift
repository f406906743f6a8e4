import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The programs in Swift of docs/doors.md run, and print what the page says. Those in Python and shell are run by
/// `ExampleHostTests`, the one in TypeScript by the tests of the client.
@Suite(.pooled) struct DoorTests {
    @Test func `the library's first program stores an event and reads it`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        #expect(try await doorLibrary(folder: folder.path, url: "") == ["5"])
    }

    @Test func `the GraphQL client's first program asks the server once`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let body = #"{"data":{"hero":{"__typename":"Droid","id":"1","name":"R2-D2"}}}"#
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let server = try AnswerServer([[head + body]])
        let printed = try await doorGraphqlClient(folder: folder.path, url: server.url)
        #expect(printed == ["R2-D2 server", "R2-D2 cache"])
        #expect(server.requests.count == 1)
    }
}
