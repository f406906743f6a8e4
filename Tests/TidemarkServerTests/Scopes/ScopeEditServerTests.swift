import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkLiveScopes
import TidemarkModel
import TidemarkTestKit

@testable import TidemarkServer

/// The service behind the edits of scopes' clients, over HTTP.
@Suite(.pooled, .ownThreads) struct ScopeEditServerTests {
    private static let call = ScopeEditCall(
        pendingID: "e1", method: "m", input: Array("{}".utf8), changes: Array("[]".utf8), scope: "project",
        parameters: Array("{}".utf8), claims: Array("{}".utf8))

    private func outcome(_ answer: RawServer.Answer) async throws -> ScopeEditOutcome {
        let server = try RawServer(always: answer)
        defer { server.stop() }
        let url = try HTTPURL(ByteString(server.url + "/rpc"))
        let outcome = await ScopeEditServer(url, timeout: .seconds(5)).send(Self.call)
        #expect(server.requests.allSatisfy { $0.hasPrefix("POST /rpc HTTP/1.1") || $0.isEmpty })
        return outcome
    }

    private func outcome(_ text: String) async throws -> ScopeEditOutcome {
        try await outcome(RawServer.Answer(body: Array(text.utf8)))
    }

    @Test func `a result confirms an edit, without its white space`() async throws {
        let outcome = try await outcome("{ \"id\" : \"1\", \"result\" : { \"sequence\" :\n 7 } }")
        #expect(outcome == .confirmed(result: Array(#"{"sequence":7}"#.utf8)))
    }

    @Test func `an error refuses an edit, unless it may be tried again`() async throws {
        let error = #"{"code":1,"message":"no"}"#
        #expect(try await outcome(#"{"error":\#(error)}"#) == .refused(error: Array(error.utf8)))
        let passing = #"{"error":{"code":1,"message":"no","data":{"retry":true}}}"#
        #expect(try await outcome(passing) == .unavailable)
    }

    @Test(arguments: ["", "[]", "{", #"{"result":1}"#, #"{"result":{},"result":{}}"#, #"{"error":"no"}"#, "{}"])
    func `a response that says nothing of an edit is none`(text: String) async throws {
        #expect(try await outcome(text) == .unavailable)
    }

    @Test func `a server that fails or says nothing is unavailable`() async throws {
        let body = Array(#"{"result":{}}"#.utf8)
        #expect(try await outcome(RawServer.Answer("500 Internal Server Error", body: body)) == .unavailable)
        #expect(try await outcome(RawServer.Answer("HTTP/1.1 200 OK\r\n", end: .reset)) == .unavailable)
        let server = try RawServer(always: RawServer.Answer(body: body))
        let url = try HTTPURL(ByteString(server.url))
        server.stop()
        #expect(await ScopeEditServer(url, timeout: .seconds(5)).send(Self.call) == .unavailable)
    }

    @Test func `an outcome of a program is checked before it is shown`() {
        #expect(ScopeEditOutcome.confirmed(result: Array("{ }".utf8)).outcome == .confirmed(result: Array("{}".utf8)))
        guard case .refused(let error) = ScopeEditOutcome.refused(error: Array("no".utf8)).outcome else {
            Issue.record("an error became something else")
            return
        }
        #expect(String(decoding: error, as: UTF8.self).contains("the edit was refused"))
    }
}
