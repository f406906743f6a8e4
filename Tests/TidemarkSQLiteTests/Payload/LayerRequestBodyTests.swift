import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The requests of layers in the bytes of their rows.
@Suite(.pooled) struct LayerRequestBodyTests {
    private static let key = StoredKey(library: 0, type: 0, id: .text("1"))

    private func record(_ sending: LayerSending?) -> LayerRecord {
        LayerRecord(
            number: 1, pendingID: "p", library: 0, createdAt: 0, changes: [.delete(LayerRequestBodyTests.key)],
            sending: sending)
    }

    private func encoded(_ sending: LayerSending?) throws -> [UInt8] {
        LayerBodyCodec.encode(record(sending), types: ["file"], try BlockCompressor())
    }

    private func decoded(_ bytes: [UInt8]) throws(PayloadError) -> LayerBodyCodec.Body {
        var names = LayerNames(libraries: [], types: ["file"])
        let result: Result<LayerBodyCodec.Body, PayloadError> = bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) {
                return .success(try LayerBodyCodec.decode(bytes, library: 0, &names))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func random(_ seed: UInt64) -> LayerSending {
        var random = SeededGenerator(seed: seed)
        func text(_ random: inout SeededGenerator) -> ByteString {
            ByteString((0..<1 + random.below(40)).map { _ in UInt8(32 + random.below(90)) })
        }
        var request = MutationRequest(
            method: text(&random), compactInput: Array(random.pick(["null", "1.10", #"{"id":"1"}"#, "[[],{}]"]).utf8))
        if random.chance(500) { request.key = text(&random) }
        if random.chance(500) { request.attemptCountMax = 1 + random.below(1_000_000_000) }
        if random.chance(500) { request.duration = .milliseconds(random.below(1_000_000_000_000_000)) }
        request.temporaryIDs = (0..<random.below(4)).map { _ in text(&random) }
        request.isReplaceable = random.chance(500)
        request.onFailure = random.chance(500) ? .continue : .stop
        request.discardsOnFailure = random.chance(500)
        var sending = LayerSending(request)
        sending.attemptCount = random.below(100_000)
        sending.forgivenCount = random.below(sending.attemptCount + 1)
        if random.chance(500) { sending.firstAttemptAt = Int64(random.below(2_000_000_000_000)) - 1_000 }
        if random.chance(500) {
            sending.failure = MutationFailure(code: random.chance(500) ? text(&random) : nil, message: text(&random))
        }
        if random.chance(500) { sending.sentWith = text(&random) }
        return sending
    }

    @Test(arguments: 0..<200) func `a request is read as it was written`(seed: Int) throws {
        let sending = LayerRequestBodyTests.random(UInt64(seed))
        let bytes = try encoded(sending)
        #expect(bytes[0] == 0x20)
        #expect(
            try decoded(bytes)
                == LayerBodyCodec.Body(
                    dependsOn: [], changes: [.delete(LayerRequestBodyTests.key)], sending: sending))
    }

    @Test func `a layer without a request has the bytes that it always had`() throws {
        #expect(try encoded(nil)[0] == 0x10)
        #expect(try decoded(encoded(nil)).sending == nil)
    }

    @Test(arguments: 0..<20) func `a request that is cut short or longer is refused`(seed: Int) throws {
        // Content of less than a block that does not compress is stored raw, so that each cut is one of the content.
        let bytes = try encoded(LayerRequestBodyTests.random(UInt64(seed)))
        for count in 1..<bytes.count { #expect(throws: PayloadError.self) { try decoded(Array(bytes[..<count])) } }
        #expect(throws: PayloadError.self) { try decoded(bytes + [0]) }
    }

    @Test(arguments: ["", "{", "1 ", #"{"a":1"#, "1,2"])
    func `an input that is not one compact value is refused`(input: String) throws {
        let bytes = try encoded(LayerSending(MutationRequest(method: "m", compactInput: Array(input.utf8))))
        do throws(PayloadError) {
            _ = try decoded(bytes)
            Issue.record("it was read")
        } catch {
            #expect(error == .notJSON)
        }
    }
}
