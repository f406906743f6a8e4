import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Edits with requests in `pending`, `pending retry` and `pending discard`.
@Suite(.pooled) struct PendingRequestTests {
    private static func layer(
        _ number: Int64, _ name: ByteString, dependsOn: [ByteString] = [],
        _ change: (inout LayerSending) -> Void = { _ in }
    ) -> LayerRecord {
        var sending = LayerSending(MutationRequest(method: "m", compactInput: Array("1".utf8)))
        change(&sending)
        return LayerRecord(
            number: number, pendingID: name, library: 1, dependsOn: dependsOn, createdAt: 1_769_076_334_149,
            changes: [.delete(StoredKey(library: 1, type: 0, id: .text(ByteString("x\(number)"))))], sending: sending)
    }

    private static let layers = [
        layer(1, "sent") { $0.attemptCount = 2 },
        layer(2, "refused") { sending in
            sending.attemptCount = 1
            sending.failure = MutationFailure(code: "taken", message: "the name is taken")
        },
        layer(3, "after", dependsOn: ["refused"]),
    ]

    private func fixture() async throws -> DatabaseFixture {
        let fixture = try await DatabaseFixture()
        try await fixture.addLayers(PendingRequestTests.layers)
        return fixture
    }

    private func requests(_ fixture: DatabaseFixture) async throws -> [String] {
        let output = try await fixture.run(["pending", "--json"]).output
        let pending = try ReferenceJSONParser.parse(Array(output.dropLast())).member("pending")?.elements ?? []
        return pending.map { layer in
            let name = String(decoding: layer.member("pending_id")?.text ?? [], as: UTF8.self)
            return "\(name) \(String(decoding: layer.member("outbox")?.written ?? [], as: UTF8.self))"
        }
    }

    @Test func `pending shows the state of each request and how often it was sent`() async throws {
        let fixture = try await fixture()
        #expect(
            try await requests(fixture) == [
                #"sent {"state":"queued","attempt":2,"error":null}"#,
                #"refused {"state":"failed","attempt":1,"error":{"message":"the name is taken","code":"taken"}}"#,
                #"after {"state":"queued","attempt":0,"error":null}"#,
            ])
        let lines = try await fixture.run(["pending"]).outputLines
        #expect(lines[0].contains("OUTBOX  ATTEMPTS"))
        #expect(lines[2].split(separator: " ").contains("failed"))
    }

    @Test(arguments: [["refused"], ["--all"]]) func `retry lets a failed request be sent again`(what: [String])
        async throws
    {
        let fixture = try await fixture()
        let result = try await fixture.run(["pending", "retry"] + what)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.outputText == "1 edits are sent again by the next session\n")
        #expect(try await requests(fixture)[1] == #"refused {"state":"queued","attempt":1,"error":null}"#)
    }

    @Test func `discard rolls back an edit and those that depend on it`() async throws {
        let fixture = try await fixture()
        let result = try await fixture.run(["pending", "discard", "refused", "after"])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.outputText == "2 edits were discarded\n")
        #expect(try await requests(fixture).count == 1)
    }

    @Test(arguments: ["retry", "discard"]) func `an id that is not pending is an error, and nothing changes`(
        command: String
    ) async throws {
        let fixture = try await fixture()
        let before = try await requests(fixture)
        let result = try await fixture.run(["pending", command, "nobody"])
        #expect(result.status == 66)
        #expect(result.errorText.hasPrefix("tidemark: not_found: "))
        #expect(try await requests(fixture) == before)
    }
}
