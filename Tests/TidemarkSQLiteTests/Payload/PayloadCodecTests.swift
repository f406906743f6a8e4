import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct PayloadCodecTests {
    private let encoder: PayloadEncoder
    private let decoder: PayloadDecoder
    private let dictionary: PayloadDictionary
    private let uuid = UUIDValue(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)

    init() throws {
        encoder = try PayloadEncoder()
        decoder = try PayloadDecoder()
        dictionary = PayloadDictionary(number: 300, type: 0, bytes: try FileResources.dictionary.get())
    }

    private func seal(isUUID: Bool = true, sequence: Int64? = 4) -> PayloadSeal {
        PayloadSeal(
            library: 3, type: 2, isUUID: isUUID, sequence: sequence, generation: 1, writtenAt: 1_700_000_000_000)
    }

    private func encode(
        _ payload: [UInt8], id: [UInt8]? = nil, seal: PayloadSeal? = nil, usesDictionary: Bool, isPadded: Bool = false
    ) -> [UInt8] {
        encoder.startBatch()
        return payload.withUnsafeBytes { payload in
            (id ?? uuid.bytes).withUnsafeBytes { id in
                Array(
                    encoder.encode(
                        payload, id: id, seal: seal ?? self.seal(), dictionary: usesDictionary ? dictionary : nil,
                        isPadded: isPadded))
            }
        }
    }

    func decode(
        _ body: [UInt8], id: [UInt8]? = nil, seal: PayloadSeal? = nil, dictionaries: [Int64: PayloadDictionary]? = nil
    ) -> Result<[UInt8], PayloadError> {
        body.withUnsafeBytes { body in
            (id ?? uuid.bytes).withUnsafeBytes { id in
                Result { () throws(PayloadError) in
                    try decoder.decode(
                        body, id: id, seal: seal ?? self.seal(), dictionaries: dictionaries ?? [300: dictionary])
                }
            }
        }
    }

    private func resource(_ id: String) -> [UInt8] {
        Array(
            """
            {"id":"\(id)","name":"alpha_beach_17","path":"/Users/ada/Pictures/alpha/beach/alpha_beach_17","size":3523957456,\
            "tags":["red","2024"],"modified_at":"2025-03-04T12:13:14.172839Z","extension":"jpg","kind":"image"}
            """.utf8)
    }

    @Test(arguments: [false, true], [false, true])
    func `an encoded payload is read back byte for byte`(usesDictionary: Bool, isPadded: Bool) {
        var random = SeededGenerator(seed: 11)
        let id = String(decoding: uuid.text, as: UTF8.self)
        var payloads: [[UInt8]] = [[], [0], Array("{}".utf8), resource(id), resource("other"), resource("\(id)\(id)")]
        payloads.append(uuid.text)
        payloads.append(Array("\"\(id)\"".utf8))
        for count in [15, 16, 255, 256, 257, 291, 292, 70_000, 131_072, 131_108, 200_000, 1 << 20] {
            payloads.append([UInt8](count: count, growingEvery: 7))
            payloads.append(
                Array("{\"id\":\"\(id)\",\"x\":\"".utf8) + Array(repeating: 120, count: count) + Array("\"}".utf8))
            if count < 100_000 { payloads.append(random.bytes(count)) }
        }
        for payload in payloads {
            let body = encode(payload, usesDictionary: usesDictionary, isPadded: isPadded)
            #expect(decode(body) == .success(payload))
            #expect(body.count <= payload.count + 12)
        }
    }

    @Test func `an id in text form is left out and restored`() {
        for id in ["abc", "abcdef", "a \"quoted\" id", "ünïcödé", String(repeating: "x", count: 1_024)] {
            let seal = seal(isUUID: false)
            let body = encode(resource(id), id: Array(id.utf8), seal: seal, usesDictionary: true)
            #expect(decode(body, id: Array(id.utf8), seal: seal) == .success(resource(id)))
        }
    }

    @Test func `a small resource takes less than a third of its bytes with a dictionary`() {
        let payload = resource(String(decoding: uuid.text, as: UTF8.self))
        #expect(encode(payload, usesDictionary: true).count * 3 < payload.count)
    }

    @Test func `a payload that does not compress is stored raw`() {
        var random = SeededGenerator(seed: 12)
        let payload = random.bytes(300)
        #expect(encode(payload, usesDictionary: true).count == payload.count + 5)
    }

    @Test(arguments: [false, true], [false, true])
    func `every flipped bit is detected`(usesDictionary: Bool, isPadded: Bool) {
        let payloads = [resource(String(decoding: uuid.text, as: UTF8.self)), Array("{\"id\":1}".utf8)]
        for payload in payloads {
            let body = encode(payload, usesDictionary: usesDictionary, isPadded: isPadded)
            for damaged in body.withOneBitFlipped {
                #expect(decode(damaged) == .failure(.checksumMismatch))
            }
        }
    }

    @Test func `every truncation is detected`() {
        let body = encode(resource("x"), usesDictionary: true)
        for count in 0..<body.count {
            let fault = decode(Array(body[..<count]))
            #expect(fault == .failure(count <= 4 ? .truncated : .checksumMismatch))
        }
    }

    @Test func `a body under another key or with other stamps is refused`() {
        let payload = resource("x")
        let body = encode(payload, usesDictionary: true)
        let other = UUIDValue(high: 1, low: 2).bytes
        #expect(decode(body, id: other) == .failure(.checksumMismatch))
        #expect(decode(body, seal: seal(isUUID: false)) == .failure(.checksumMismatch))
        #expect(decode(body, seal: seal(sequence: 5)) == .failure(.checksumMismatch))
        #expect(decode(body, seal: seal(sequence: nil)) == .failure(.checksumMismatch))
        var moved = seal()
        moved.library = 4
        #expect(decode(body, seal: moved) == .failure(.checksumMismatch))
        #expect(decode(body) == .success(payload))
    }

    @Test func `a body whose dictionary is missing reports this`() {
        let body = encode(resource("x"), usesDictionary: true)
        #expect(decode(body, dictionaries: [:]) == .failure(.unknownDictionary))
    }

    // MARK: Forged bodies with a valid check

    /// Returns the bytes with the check that a forger would compute.
    func forged(header: UInt8, _ rest: [UInt8]) -> [UInt8] {
        let covered = [header] + rest
        let seed = uuid.bytes.withUnsafeBytes { seal().seed(id: $0) }
        let check = UInt32(truncatingIfNeeded: covered.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
        return withUnsafeBytes(of: check.littleEndian) { Array($0) } + covered
    }

    func varint(_ value: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 10)
        let count = bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("ten bytes without an address") }
            return PayloadCodec.writeVarint(UInt64(value), into: start)
        }
        return Array(bytes[..<count])
    }

    @Test func `an id cannot stand behind the end of a payload`() {
        #expect(decode(forged(header: 0x28, varint(5) + [1, 2])) == .failure(.lengthMismatch))
    }

    @Test func `random forged bodies never crash`() {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<20_000 {
            let rest = random.bytes(Int.random(in: 0...60, using: &random))
            let header = UInt8(0x20) | UInt8.random(in: 0...31, using: &random)
            if case .success(let payload) = decode(forged(header: header, rest), dictionaries: [1: dictionary]) {
                #expect(payload.count <= PayloadCodec.payloadByteCountMax)
            }
        }
    }

    @Test func `an unknown format is refused, and a codec in a form that it does not have`() {
        #expect(decode(forged(header: 0x80, [1])) == .failure(.unknownFormat))
        // Deflate with a dictionary that is not there, and as a bare block.
        #expect(decode(forged(header: 0x23, [1])) == .failure(.unknownDictionary))
        #expect(decode(forged(header: 0x27, [0, 1])) == .failure(.unknownFormat))
    }

    @Test func `a dictionary's checksum detects every flipped bit`() {
        let checksum = PayloadDictionary.checksum(number: 1, type: 0, bytes: dictionary.bytes)
        for index in stride(from: 0, to: dictionary.bytes.count, by: 97) {
            var damaged = dictionary.bytes
            damaged.flip(bit: 2, at: index)
            #expect(PayloadDictionary.checksum(number: 1, type: 0, bytes: damaged) != checksum)
        }
        #expect(PayloadDictionary.checksum(number: 1, type: 1, bytes: dictionary.bytes) != checksum)
    }

    // MARK: Fields

    private func sealed(_ payload: [UInt8], fields: [UInt8], usesDictionary: Bool, isPadded: Bool) -> [UInt8] {
        encoder.startBatch()
        return payload.withUnsafeBytes { payload in
            fields.withUnsafeBytes { fields in
                uuid.bytes.withUnsafeBytes { id in
                    Array(
                        encoder.encode(
                            payload, id: id, seal: seal(), fields: fields,
                            dictionary: usesDictionary ? dictionary : nil, isPadded: isPadded))
                }
            }
        }
    }

    private func resealed(_ body: [UInt8], fields: [UInt8]) throws(PayloadError) -> [UInt8] {
        encoder.startBatch()
        let result = body.withUnsafeBytes { body in
            fields.withUnsafeBytes { fields in
                uuid.bytes.withUnsafeBytes { id in
                    Result { () throws(PayloadError) in
                        Array(try encoder.reseal(body, id: id, seal: seal(sequence: 9), fields: fields))
                    }
                }
            }
        }
        return try result.get()
    }

    private func fields(_ body: [UInt8]) throws(PayloadError) -> [UInt8] {
        let result = body.withUnsafeBytes { body in
            Result { () throws(PayloadError) in try PayloadDecoder.fields(body) }
        }
        return try result.get()
    }

    @Test(arguments: [false, true], [false, true])
    func `fields are read back beside every payload, and are replaced without changing it`(
        usesDictionary: Bool, isPadded: Bool
    ) throws {
        var random = SeededGenerator(seed: 12)
        func bytes(_ count: Int) -> [UInt8] { random.bytes(count) }
        let id = String(decoding: uuid.text, as: UTF8.self)
        for payload in [[], [0], resource(id), bytes(15), bytes(5_000), Array(repeating: 7, count: 300_000)] {
            let plain = sealed(payload, fields: [], usesDictionary: usesDictionary, isPadded: isPadded)
            #expect(plain == encode(payload, usesDictionary: usesDictionary, isPadded: isPadded))
            for count in [0, 1, 4, 127, 128, 70_000, 1 << 20] {
                let first = bytes(count)
                let body = sealed(payload, fields: first, usesDictionary: usesDictionary, isPadded: isPadded)
                #expect(decode(body) == .success(payload))
                #expect(try fields(body) == first)
                for next in [[], bytes(3), bytes(200), first] {
                    let renewed = try resealed(body, fields: next)
                    #expect(decode(renewed, seal: seal(sequence: 9)) == .success(payload))
                    #expect(decode(renewed) == .failure(.checksumMismatch))
                    #expect(try fields(renewed) == next)
                    let expected = sealed(payload, fields: next, usesDictionary: usesDictionary, isPadded: isPadded)
                    #expect(ByteString(renewed.dropFirst(4)) == ByteString(expected.dropFirst(4)))
                }
            }
        }
    }

    @Test func `the check covers the fields, and forged lengths are refused`() throws {
        let payload = resource("x")
        let body = sealed(payload, fields: [1, 2, 3], usesDictionary: true, isPadded: true)
        for index in body.indices {
            var damaged = body
            damaged.flip(bit: 0, at: index)
            #expect(decode(damaged) == .failure(.checksumMismatch))
        }
        #expect(decode(forged(header: 0x40, [])) == .failure(.truncated))
        #expect(decode(forged(header: 0x40, varint(2) + [1])) == .failure(.truncated))
        #expect(decode(forged(header: 0x40, varint(2) + [1, 2])) == .success([]))
        #expect(decode(forged(header: 0x40, varint(1) + [1, 2])) == .success([1]))
        #expect(decode(forged(header: 0x50, varint(1) + [1, 2])) == .failure(.truncated))
        #expect(decode(forged(header: 0x40, varint(17 << 20) + [1, 2])) == .failure(.tooLarge))
        // The head extends into the fields.
        #expect(decode(forged(header: 0x41, varint(2) + [1, 2])) == .failure(.truncated))
        var random = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            let rest = (0..<Int(random.next() % 20)).map { _ in UInt8(truncatingIfNeeded: random.next() % 24) }
            let rubbish = forged(header: UInt8(0x40 | random.next() & 0x1F), rest)
            _ = decode(rubbish, dictionaries: [1: dictionary])
            do throws(PayloadError) {
                _ = try resealed(rubbish, fields: [1])
            } catch {
                #expect([.truncated, .tooLarge].contains(error))
            }
        }
    }
}
