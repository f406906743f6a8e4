import TestTraits
import Testing
import TidemarkReferenceModel

@Suite(.pooled) struct ReferenceDecoderTests {
    private let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())

    private func reason(_ line: [UInt8], _ configuration: ReferenceConfiguration? = nil) -> ReferenceReason? {
        let decoder = configuration.map(ReferenceDecoder.init) ?? decoder
        guard case .rejected(let rejection) = decoder.decode(line) else { return nil }
        return rejection.reason
    }

    @Test func `a line of exactly the limit passes and one byte more does not`() {
        var configuration = ReferenceConfiguration()
        configuration.lineByteCountMax = 6
        #expect(reason(Array("\"Pong\"".utf8), configuration) == nil)
        #expect(reason(Array("\"Pong\" ".utf8), configuration) == .tooLong)
        #expect(reason(Array("       ".utf8), configuration) == .tooLong)
        #expect(ReferenceDecoder(configuration: configuration).decode(Array("      ".utf8)) == .blank)
    }

    @Test func `a batch of exactly the limit passes and one member more does not`() {
        var configuration = ReferenceConfiguration()
        configuration.batchCountMax = 3
        func batch(_ count: Int) -> [UInt8] {
            let members = Array(repeating: "{\"id\":\"a\"}", count: count).joined(separator: ",")
            return Array("{\"BatchChanged\":{\"resource_type\":\"file\",\"resources\":[\(members)]}}".utf8)
        }
        #expect(reason(batch(3), configuration) == nil)
        #expect(reason(batch(4), configuration) == .batchTooLarge)
    }

    /// Wherever a line is cut, the fields read from it are true: never a library or a number that the line does not
    /// have.
    @Test func `a line cut anywhere yields only true fields`() {
        let line = Array(
            #"{"envelope":{"id":"e","library_id":"lib","epoch":"z"},"prev":120,"sequence":1234,"event":{"K":{"sequence":9,"library_id":"x"}}}"#
                .utf8)
        var readable = 0
        for count in 1..<line.count {
            guard case .rejected(let found) = decoder.decode(Array(line.prefix(count))) else {
                Issue.record("a prefix of \(count) bytes passed")
                continue
            }
            #expect(found.reason == .notJSON)
            #expect(found.library == nil || found.library == Array("lib".utf8))
            #expect(found.sequence == nil || found.sequence == 1_234)
            #expect(found.explicitPrevious == nil || found.explicitPrevious == 120)
            #expect(found.epoch == nil || found.epoch == Array("z".utf8))
            if found.sequence != nil { readable += 1 }
        }
        #expect(readable > 30)
    }

    @Test func `only the first four KiB of a broken line are read`() {
        func line(padding: Int) -> [UInt8] {
            let pad = String(repeating: "x", count: padding)
            return Array("{\"pad\":\"\(pad)\",\"library_id\":\"a\",\"sequence\":5,\"event\":".utf8)
        }
        guard case .rejected(let near) = decoder.decode(line(padding: 3_900)),
            case .rejected(let far) = decoder.decode(line(padding: 4_100))
        else {
            Issue.record("a broken line passed")
            return
        }
        #expect(near.library == Array("a".utf8) && near.sequence == 5)
        #expect(far.library == nil && far.sequence == nil)
    }

    @Test func `salvage ignores everything after the first syntax error`() {
        let line = Array(#"{"name":"he said "hi"","library_id":"evil","sequence":9,"event":"Refresh"}"#.utf8)
        guard case .rejected(let found) = decoder.decode(line) else {
            Issue.record("a broken line passed")
            return
        }
        #expect(found.library == nil && found.sequence == nil)
    }
}
