import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Layers in the output of reading commands.
@Suite(.pooled) struct PendingTests {
    private static func key(_ library: LibraryIndex, _ type: TypeIndex, _ id: ByteString) -> StoredKey {
        StoredKey(library: library, type: type, id: StoredID(id))
    }

    private static let layers = [
        LayerRecord(
            number: 1, pendingID: "rename", library: 1, createdAt: 1_769_076_334_149,
            changes: [
                .patch(
                    key(1, 1, "summer"), fields: Array(#"{"name":"Sommer","n":1.10}"#.utf8), unset: []),
                .put(key(1, 1, "new"), resource: Array(#"{"id":"new"}"#.utf8)),
            ]),
        LayerRecord(
            number: 3, pendingID: "\u{1B}[31m", library: 1, isConfirmed: true, awaited: EventSequence(12),
            dependsOn: ["rename"], createdAt: 1_769_076_334_149,
            changes: [
                .delete(key(1, 0, "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001")), .removeField(key(1, 1, "summer"), "n"),
                .patch(key(1, 1, "new"), fields: [], unset: ["a", "b"]),
            ]),
        LayerRecord(
            number: 4, pendingID: "late", library: 1, createdAt: 1_769_076_334_149,
            changes: [.patch(key(1, 0, "gone"), fields: Array(#"{"a":1}"#.utf8), unset: ["b"])]),
        LayerRecord(
            number: 5, pendingID: "elsewhere", library: 2, createdAt: 1_769_076_334_149,
            changes: [.delete(key(2, 0, "1"))]),
    ]

    private static let json = [
        #"{"pending_id":"rename","state":"pending","changes":[{"op":"patch","resource_type":"album","id":"summer","#
            + #""fields":{"name":"Sommer","n":1.10}},{"op":"put","resource_type":"album","resource":{"id":"new"}}],"#
            + #""library_id":"home","depends_on":[]}"#,
        #"{"pending_id":"\u001b[31m","state":"confirmed","changes":[{"op":"delete","resource_type":"file","#
            + #""id":"0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001"},{"op":"remove_field","resource_type":"album","#
            + #""id":"summer","field":"n"},{"op":"patch","resource_type":"album","id":"new","fields":{},"#
            + #""unset":["a","b"]}],"library_id":"home","depends_on":["rename"]}"#,
        #"{"pending_id":"late","state":"orphaned","changes":[{"op":"patch","resource_type":"file","id":"gone","#
            + #""fields":{"a":1},"unset":["b"]}],"library_id":"home","depends_on":[]}"#,
        #"{"pending_id":"elsewhere","state":"pending","changes":[{"op":"delete","resource_type":"file","id":"1"}],"#
            + #""library_id":"work","depends_on":[]}"#,
    ]

    @Test func `pending prints every layer as optimistic list does, oldest first`() async throws {
        let fixture = try await DatabaseFixture()
        #expect(try await fixture.run(["pending", "--json"]).outputText == "{\"pending\":[]}\n")
        #expect(try await fixture.run(["pending"]).outputText == "No pending edits.\n")
        try await fixture.addLayers(PendingTests.layers)
        let all = "{\"pending\":[\(PendingTests.json.joined(separator: ","))]}\n"
        #expect(try await fixture.run(["pending", "--json"]).outputText == all)
        let work = "{\"pending\":[\(PendingTests.json[3])]}\n"
        #expect(try await fixture.run(["pending", "--json", "--library", "work"]).outputText == work)
        #expect(try await fixture.run(["pending", "--library", "nowhere"]).outputText == "No pending edits.\n")
    }

    @Test func `pending prints each edit for people, without escape sequences`() async throws {
        let fixture = try await DatabaseFixture()
        var many = PendingTests.layers[3]
        many.number = 6
        many.pendingID = "many"
        many.changes = (0..<25).map { .delete(PendingTests.key(2, 0, ByteString("n\($0)"))) }
        many.createdAt = 1 << 53
        try await fixture.addLayers(PendingTests.layers + [many])
        let result = try await fixture.run(["pending"])
        #expect(result.status == 0)
        #expect(!result.output.contains(0x1B))
        let lines = result.outputLines
        #expect(lines.count == 6)
        #expect(lines[0].split(separator: " ") == ["PENDING", "ID", "STATE", "AGE", "LIBRARY", "CHANGES", "WHAT"])
        #expect(lines[1].hasPrefix("rename"))
        #expect(lines[1].contains(" home "))
        #expect(lines[1].hasSuffix(" 2  patch album:summer, put album:new"))
        #expect(lines[2].contains(" confirmed "))
        #expect(lines[2].contains(", remove n of album:summer, patch album:new"))
        #expect(lines[3].contains(" orphaned "))
        #expect(lines[5].contains("0.00 s"))
        #expect(lines[5].contains("  25  delete file:n0, delete file:n1"))
    }

    @Test func `get and list show the visible state, export the server's state`() async throws {
        let fixture = try await DatabaseFixture()
        let exported = try await fixture.run(["export"]).outputText
        try await fixture.addLayers(PendingTests.layers)
        func get(_ arguments: String...) async throws -> String {
            try await fixture.run(["get", "--json"] + arguments).outputText
        }
        let summer =
            #"{"entity":{"id":"summer","name":"Sommer"},"pending":true,"sequence":3,"stale":false,"miss":null}"#
        #expect(try await get("album:summer") == summer + "\n")
        #expect(
            try await fixture.run(["get", "album:summer"]).outputText == #"{"id":"summer","name":"Sommer"}"# + "\n")
        let new = #"{"entity":{"id":"new"},"pending":true,"sequence":null,"stale":false,"miss":null}"#
        #expect(try await get("album:new") == new + "\n")
        func deleted(_ sequence: String) -> String {
            "{\"entity\":null,\"pending\":true,\"sequence\":\(sequence),\"stale\":false,\"miss\":\"deleted\"}\n"
        }
        #expect(try await get("file:0C5F4D0E-6a77-4f5e-9b53-6d9ad2a7c001", "--library", "home") == deleted("2"))
        #expect(try await get("file:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001") == deleted("2"))
        #expect(try await get("file:gone") == deleted("null"))
        #expect(try await get("file:1", "--library", "work") == deleted("5"))
        #expect(try await get("file:1").contains(#""pending":false"#))
        let list = try await fixture.run(["list", "--json", "--library", "home"])
        #expect(
            list.outputText
                == #"{"entities":[{"id":"\u001b[31m"},{"id":"new"},{"id":"summer","name":"Sommer"}],"next":null}"#
                + "\n")
        let page = try await fixture.run(["list", "--json", "--library", "home", "--limit", "1", "--after", "album:a"])
        #expect(page.outputText == #"{"entities":[{"id":"new"}],"next":"album:new"}"# + "\n")
        #expect(try await fixture.run(["list", "--json", "--library", "work"]).outputText.contains(#""entities":[]"#))
        #expect(try await fixture.run(["export"]).outputText == exported)
    }

    @Test func `stats and verify count layers`() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.addLayers(PendingTests.layers)
        #expect(try await fixture.run(["stats", "--json"]).outputText.contains(#","observers":0,"pending":4,"#))
        #expect(try await fixture.run(["stats"]).outputText.contains("pending edits          4\n"))
        let verified = try await fixture.run(["verify", "--json"])
        #expect(verified.status == 0)
        #expect(verified.outputText.contains(#","layers":4,"problem_count":0"#))
        #expect(try await fixture.run(["verify"]).outputText.contains(" and 4 pending edits read, nothing wrong found"))
    }

    @Test func `a damaged layer is named and left out, and the exit status reports it`() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.addLayers(PendingTests.layers)
        var bytes = try fixture.folder.read("a.db")
        let isFound = bytes.flip(in: "renamehome")
        #expect(isFound)
        try fixture.folder.write(bytes, to: "a.db")
        let rest = "{\"pending\":[\(PendingTests.json.dropFirst().joined(separator: ","))]}\n"
        let pending = try await fixture.run(["pending", "--json"])
        #expect(pending.status == 65)
        #expect(pending.outputText == rest)
        #expect(pending.errorText.contains("1 row failed the check, the first is layer 1"))
        let verified = try await fixture.run(["verify"])
        #expect(verified.status == 65)
        #expect(verified.outputText.contains("damaged layer, row 1: checksum_mismatch"))
        // Nobody can know whether the damaged layer covers the requested entity.
        let get = try await fixture.run(["get", "album:summer", "--json"])
        #expect(get.status == 65)
        #expect(get.outputText.contains("Été"))
        #expect(try await fixture.run(["list"]).status == 65)
        #expect(try await fixture.run(["export"]).status == 0)
    }
}
