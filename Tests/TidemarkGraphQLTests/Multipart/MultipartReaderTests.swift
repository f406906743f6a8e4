import Foundation
import TestTraits
import Testing
import TidemarkGraphQL
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// A multipart body, and the bodies of its parts.
private struct Sample: CustomTestStringConvertible {
    var name: String
    var boundary = "-"
    var text: String
    var parts: [String]
    var types: [String?]?
    var isWhole = true

    var testDescription: String { name }
}

private let a = #"{"data":{"a":1},"hasNext":true}"#
private let b = #"{"incremental":[{"path":[],"data":{"b":"--- é €"}}],"hasNext":false}"#

/// Bodies as servers send them, and as no server should.
private let samples: [Sample] = {
    var samples: [Sample] = []
    func add(
        _ name: String, _ text: String, _ parts: [String], boundary: String = "-", types: [String?]? = nil,
        isWhole: Bool = true
    ) {
        samples.append(Sample(name: name, boundary: boundary, text: text, parts: parts, types: types, isWhole: isWhole))
    }
    let head = "content-type: application/json\r\n\r\n"
    for (name, end) in [("CRLF", "\r\n"), ("LF", "\n")] {
        let head = head.replacingOccurrences(of: "\r\n", with: end)
        add("two parts, \(name)", "\(end)---\(end)\(head)\(a)\(end)---\(end)\(head)\(b)\(end)-----\(end)", [a, b])
        add(
            "no line end before the first delimiter, \(name)",
            "---\(end)\(head)\(a)\(end)---\(end)\(head)\(b)\(end)-----\(end)", [a, b])
        add("no line end after the last delimiter, \(name)", "---\(end)\(head)\(a)\(end)-----", [a])
        add(
            "a preamble and an epilogue, \(name)",
            "preamble\(end)more --- of it\(end)---\(end)\(head)\(a)\(end)-----\(end)---\(end)epilogue\(end)", [a])
        add(
            "spaces after the delimiters, \(name)",
            "---  \t\(end)\(head)\(a)\(end)--- \(end)\(head)\(b)\(end)----- \(end)", [a, b])
        add("no headers, \(name)", "---\(end)\(end)\(a)\(end)-----\(end)", [a], types: [nil])
        add("an empty part, \(name)", "---\(end)\(head)\(end)---\(end)\(end)\(a)\(end)-----\(end)", ["", a])
        add("a part without an empty line, \(name)", "---\(end)---\(end)\(end)\(a)\(end)-----\(end)", ["", a])
        add("an empty object, \(name)", "---\(end)\(head){}\(end)-----\(end)", ["{}"])
        add(
            "line ends in the body, \(name)", "---\(end)\(head){\(end)\"a\":\(end)1}\(end)\(end)-----\(end)",
            ["{\(end)\"a\":\(end)1}\(end)"])
        add("cut off in a part, \(name)", "---\(end)\(head)\(a)\(end)---\(end)\(head){\"in", [a], isWhole: false)
        add("cut off before the closing delimiter, \(name)", "---\(end)\(head)\(a)\(end)", [], isWhole: false)
        add("cut off in the delimiter, \(name)", "---\(end)\(head)\(a)\(end)--", [], isWhole: false)
        add("nothing but the closing delimiter, \(name)", "-----\(end)", [])
        add(
            "a line that begins like a delimiter, \(name)", "---\(end)\(head)\(a)\(end)---x\(end)-----\(end)",
            ["\(a)\(end)---x"])
        add("a delimiter inside a line, \(name)", "---\(end)\(head)x ---\(end)-----\(end)", ["x ---"])
        add(
            "many headers, \(name)",
            "---\(end)X-A: 1\(end)Content-TYPE:  application/json; charset=utf-8 \(end)x: y\(end)\(end)\(a)\(end)-----\(end)",
            [a], types: ["application/json; charset=utf-8"])
        add("a header without a colon, \(name)", "---\(end)rubbish\(end)\(end)\(a)\(end)-----\(end)", [a])
        add(
            "two content types, \(name)",
            "---\(end)Content-Type: a/b\(end)Content-Type: c/d\(end)\(end)\(a)\(end)-----\(end)", [a], types: ["a/b"])
        add(
            "a long boundary, \(name)",
            "--gc0p4Jq0M2Yt08jU534c0p\(end)\(head)\(a)\(end)--gc0p4Jq0M2Yt08jU534c0p--\(end)", [a],
            boundary: "gc0p4Jq0M2Yt08jU534c0p")
        add(
            "a boundary that is a prefix, \(name)", "--ab\(end)\(end)\(a)\(end)--abc\(end)--ab--\(end)",
            ["\(a)\(end)--abc"], boundary: "ab")
        add(
            "a boundary with signs, \(name)", "--a'b+_,-./:=?c\(end)\(end)\(a)\(end)--a'b+_,-./:=?c--\(end)", [a],
            boundary: "a'b+_,-./:=?c")
        add(
            "heartbeats, \(name)",
            "---\(end)\(head){}\(end)---\(end)\(head){}\(end)---\(end)\(head)\(a)\(end)-----\(end)", ["{}", "{}", a])
        add("bytes of several characters, \(name)", "---\(end)\(head)\(b)\(end)-----\(end)", [b])
        add(
            "a body that ends with line ends, \(name)", "---\(end)\(end)x\(end)\(end)\(end)-----\(end)",
            ["x\(end)\(end)"])
        add("a body of line ends, \(name)", "---\(end)\(end)\(end)\(end)-----\(end)", ["\(end)"])
        add("a delimiter twice, \(name)", "---\(end)---\(end)\(end)\(a)\(end)-----\(end)", ["", a])
        add("closing twice, \(name)", "---\(end)\(end)\(a)\(end)-----\(end)-----\(end)", [a])
        add(
            "three parts, \(name)", "---\(end)\(end)1\(end)---\(end)\(end)2\(end)---\(end)\(end)3\(end)-----",
            ["1", "2", "3"])
        add("dashes in the body, \(name)", "---\(end)\(end)--\(end)-\(end)----x\(end)-----", ["--\(end)-\(end)----x"])
    }
    add("mixed line ends", "---\n\r\n\(a)\r\n---\r\n\n\(b)\n-----", [a, b])
    add("a lone CR in the body", "---\r\n\r\nx\ry\r\n-----", ["x\ry"])
    add("nothing", "", [], isWhole: false)
    add("a preamble alone", "just text\r\n", [], isWhole: false)
    return samples
}()

@Suite(.pooled) struct MultipartReaderTests {
    private func read(_ sample: Sample, _ chunks: [[UInt8]]) throws -> (parts: [MultipartReader.Part], isWhole: Bool) {
        var reader = try MultipartReader(boundary: sample.boundary, partByteCountMax: 1 << 20)
        var parts: [MultipartReader.Part] = []
        for chunk in chunks { parts += try reader.read(chunk) }
        parts += try reader.finish()
        return (parts, reader.isWhole)
    }

    @Test func `the corpus has at least 60 bodies`() { #expect(samples.count >= 60) }

    @Test func `each row of the page about bodies has a test`() throws {
        let rows = try PageTable.rows(of: "Bodies")
        #expect(rows.count >= 14)
        for row in rows {
            // Every sample is there with both line ends.
            if row.hasPrefix("LF alone") { continue }
            for end in ["CRLF", "LF"] { #expect(samples.contains { $0.name == "\(row), \(end)" }, "\(row)") }
        }
    }

    @Test(arguments: samples)
    private func `a body is cut into its parts at every split`(sample: Sample) throws {
        let bytes = Array(sample.text.utf8)
        let whole = try read(sample, [bytes])
        #expect(whole.parts.map { String(decoding: $0.body, as: UTF8.self) } == sample.parts)
        #expect(whole.isWhole == sample.isWhole)
        if let types = sample.types { #expect(whole.parts.map { $0.contentType?.description } == types) }
        let drip = try read(sample, bytes.map { [$0] })
        #expect(drip.parts == whole.parts && drip.isWhole == whole.isWhole)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let split = try read(
                    sample, [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])])
                guard split.parts == whole.parts, split.isWhole == whole.isWhole else {
                    Issue.record("split at \(first) and \(second): \(split.parts)")
                    return
                }
            }
        }
    }

    @Test func `a part and its headers have a bound`() throws {
        var reader = try MultipartReader(boundary: "b", partByteCountMax: 1_000)
        _ = try reader.read(Array("--b\r\n\r\n".utf8))
        #expect(throws: MultipartReader.Fault.tooLarge) {
            for _ in 0..<200 { _ = try reader.read([UInt8](repeating: 0x61, count: 1_000)) }
        }
        var headers = try MultipartReader(boundary: "b", partByteCountMax: 1_000)
        _ = try headers.read(Array("--b\r\n".utf8))
        #expect(throws: MultipartReader.Fault.tooLarge) {
            for _ in 0..<10_000 { _ = try headers.read(Array("X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".utf8)) }
        }
        // A preamble of any length is passed over.
        var preamble = try MultipartReader(boundary: "b", partByteCountMax: 1_000)
        for _ in 0..<2_000 { #expect(try preamble.read([UInt8](repeating: 0x61, count: 1_000)).isEmpty) }
        #expect(try preamble.read(Array("\r\n--b\r\n\r\nx\r\n--b--".utf8)).isEmpty)
        #expect(try preamble.finish().map(\.body) == [Array("x".utf8)])
    }

    @Test(arguments: ["", " ", "a ", String(repeating: "a", count: 71), "a\r\nb", "é"])
    func `a boundary that cannot be one is refused`(boundary: String) {
        #expect(throws: MultipartReader.Fault.badBoundary) {
            _ = try MultipartReader(boundary: boundary, partByteCountMax: 10)
        }
    }

    /// The parser of Python's library must agree on bodies that follow the standard.
    @Test(.tags(.process)) func `Python's parser finds the same parts`() async throws {
        let agreed = samples.filter {
            $0.isWhole && $0.name.hasSuffix("CRLF") && !$0.parts.isEmpty && !$0.name.contains("without an empty line")
                && !$0.name.contains("delimiter twice") && !$0.name.contains("header without a colon")
                && !$0.name.contains("a delimiter inside")
        }
        let script = """
            import email, email.policy, json, sys
            for line in sys.stdin:
                sample = json.loads(line)
                text = ('Content-Type: multipart/mixed; boundary="%s"\\r\\n\\r\\n' % sample["boundary"]).encode() + sample["text"].encode()
                message = email.message_from_bytes(text, policy=email.policy.HTTP)
                print(json.dumps([part.get_payload(decode=True).decode() for part in message.get_payload()]))
            """
        let input = try agreed.map { sample in
            String(
                decoding: try JSONSerialization.data(withJSONObject: ["boundary": sample.boundary, "text": sample.text]
                ), as: UTF8.self) + "\n"
        }.joined()
        let result = try await CommandRunner(executable: "/usr/bin/env").run(
            ["python3", "-c", script], input: Array(input.utf8))
        try #require(result.status == 0, "\(result.errorText)")
        let lines = result.outputLines
        try #require(lines.count == agreed.count)
        for (sample, line) in zip(agreed, lines) {
            let parts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String])
            #expect(parts == sample.parts, "\(sample.name)")
        }
    }

    private func form(_ type: MediaType) -> String? {
        DeliveryRegistry.standard.format(of: type).map { "\($0.parameter)=\($0.value)" }
    }

    @Test func `types and their parameters are read as servers write them`() throws {
        let apollo = try #require(MediaType(#"multipart/mixed;boundary="-";deferSpec=20220824"#))
        #expect(apollo.name == "multipart/mixed" && apollo.parameters == ["boundary": "-", "deferspec": "20220824"])
        #expect(form(apollo) == "deferSpec=20220824")
        let loose = try #require(
            MediaType(#"Multipart/Mixed ; Boundary=graphql ;; incrementalSpec = v0.2"#)
                ?? MediaType("multipart/mixed; boundary=graphql; incrementalSpec=v0.2"))
        #expect(form(loose) == "incrementalSpec=v0.2")
        #expect(
            form(try #require(MediaType("multipart/mixed; subscriptionSpec=\"1.0\"; boundary=x")))
                == "subscriptionSpec=1.0")
        #expect(form(try #require(MediaType("multipart/mixed; deferSpec=20990101; boundary=x"))) == nil)
        #expect(MediaType(#"a/b; c="x\"y;z""#)?.parameters == ["c": "x\"y;z"])
        #expect(MediaType("application/graphql-response+json; charset=utf-8")?.isJSON == true)
        for bad in ["", "json", "a/", "/b", "a/b/c", "a/b; =x", "a/b; c", "a/b; c=\"x"] {
            #expect(MediaType(ByteString(bad)) == nil, "\(bad)")
        }
    }
}
