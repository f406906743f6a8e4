import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQL

/// Bodies in parts as an endpoint reads them from a transport.
@Suite(.pooled) struct EndpointAnswerTests {
    private let transport = SteppedTransport()

    private func ask(_ type: String, _ chunks: [String]) async throws -> GraphQLUpstreamResponse {
        transport.give(.head(type: type))
        for chunk in chunks { transport.give(.chunk(chunk)) }
        transport.give(.end)
        let upstream = GraphQLHTTPUpstream(
            try GraphQLEndpoint(url: "http://graph.example/").endpoint, transport: transport, clock: ManualClock())
        return try await upstream.ask(
            GraphQLUpstreamRequest(
                fetch: 1, document: "{ a }", variables: "{}", kind: .query, pendingID: nil, library: ""))
    }

    private static let type = "multipart/mixed;boundary=\"-\";deferSpec=20220824"

    /// The payloads of a body, and the code of the error that ended it.
    private func payloads(_ chunks: [String]) async throws -> (texts: [String], code: String?) {
        guard case .parts(let parts, _) = try await ask(Self.type, chunks) else { return ([], "whole") }
        var texts: [String] = []
        do {
            while let next = try await parts.next() { texts.append(next.payload.text) }
        } catch {
            return (texts, error.code)
        }
        return (texts, nil)
    }

    @Test(arguments: [
        ("multipart/mixed;boundary=\"-\";deferSpec=20990101", "deferSpec=20990101"),
        ("multipart/mixed;boundary=\"-\"", "multipart/mixed"),
        ("multipart/mixed;boundary=\"-\";subscriptionSpec=1.0", "subscriptionSpec=1.0"),
        ("multipart/mixed;deferSpec=20220824", "no boundary"),
        ("multipart/mixed;deferSpec=20220824;boundary=\"é\"", "boundary"), ("text/html", "text/html"),
    ])
    func `another spec, or no boundary, is an error that names it`(type: String, name: String) async throws {
        await #expect {
            _ = try await ask(type, ["---\r\n\r\n{\"data\":{}}\r\n-----\r\n"])
        } throws: { error in
            let error = error as? UpstreamError
            return error?.code == "content_type" && error?.message.contains(name) == true
        }
    }

    @Test func `a part of another type than JSON is an error that names it`() async throws {
        guard
            case .parts(let parts, _) = try await ask(
                Self.type, ["---\r\nContent-Type: text/html; charset=x\r\n\r\n<p>\r\n-----\r\n"])
        else {
            Issue.record("the answer is not in parts")
            return
        }
        await #expect {
            _ = try await parts.next()
        } throws: { error in
            let error = error as? UpstreamError
            return error?.code == "content_type" && error?.message.contains("text/html; charset=x") == true
        }
    }

    @Test func `parts before a premature end are given, and then the error`() async throws {
        let first = "---\r\n\r\n{\"data\":{},\"hasNext\":true}\r\n---\r\n"
        for end in ["", "\r\n{\"incremental\":[", "\r\n{}"] {
            let (texts, code) = try await EndpointAnswerTests().payloads([first, end])
            #expect(texts == [#"{"data":{},"hasNext":true}"#] && code == "premature_end")
        }
        let whole = try await EndpointAnswerTests().payloads([first, "\r\n{\"hasNext\":false}\r\n-----"])
        #expect(whole.texts.last == #"{"hasNext":false}"# && whole.code == nil)
    }

    @Test func `an empty part and an empty object are heartbeats`() async throws {
        let (texts, code) = try await payloads([
            "---\r\n\r\n---\r\nContent-Type: application/json\r\n\r\n\r\n---\r\n\r\n{}\r\n---\r\n\r\n \n \r\n-----\r\n"
        ])
        #expect(texts == ["{}", "{}", "{}", "{}"] && code == nil)
    }

    /// A preamble is no part and may be long, but not without an end; a part has a bound of its own.
    @Test(arguments: ["a preamble\r\n", "---\r\n\r\n{\"data\":\""])
    func `a body that never ends is stopped at the limit`(beginning: String) async throws {
        let mebibyte = String(repeating: "a", count: 1 << 20)
        let (texts, code) = try await payloads([beginning] + Array(repeating: mebibyte, count: 129))
        #expect(texts.isEmpty && code == "limit_exceeded")
    }
}
