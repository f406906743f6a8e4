import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Raw deflate in bodies, blocks and pieces of bodies of layers and responses.
@Suite(.pooled) struct DeflateCodecTests {
    private let encoder: PayloadEncoder
    private let decoder: PayloadDecoder
    private let dictionaries: [Int64: PayloadDictionary]
    private let id = UUIDValue(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF).bytes
    private let seal = PayloadSeal(
        library: 3, type: 2, isUUID: true, sequence: 4, generation: 1, writtenAt: 1_700_000_000_000)

    init() throws {
        encoder = try PayloadEncoder(.deflate)
        decoder = try PayloadDecoder()
        var random = SeededGenerator(seed: 4)
        let long = FileResources.sample.flatMap { $0 } + random.bytes(40_000) + FileResources.sample.flatMap { $0 }
        dictionaries = [
            1: PayloadDictionary(number: 1, type: 2, bytes: try FileResources.segments.get()),
            300: PayloadDictionary(number: 300, type: 2, bytes: long),
        ]
    }

    private func encode(_ payload: [UInt8], dictionary: Int64?, fields: [UInt8] = [], isPadded: Bool = false) -> [UInt8]
    {
        encoder.startBatch()
        return payload.withUnsafeBytes { payload in
            id.withUnsafeBytes { id in
                fields.withUnsafeBytes { fields in
                    Array(
                        encoder.encode(
                            payload, id: id, seal: seal, fields: fields,
                            dictionary: dictionary.flatMap { dictionaries[$0] }, isPadded: isPadded))
                }
            }
        }
    }

    private func decode(_ body: [UInt8], without: Int64? = nil) -> Result<[UInt8], PayloadError> {
        let known = dictionaries.filter { $0.key != without }
        return body.withUnsafeBytes { body in
            id.withUnsafeBytes { id in
                Result { () throws(PayloadError) in
                    try decoder.decode(body, id: id, seal: seal, dictionaries: known)
                }
            }
        }
    }

    /// Returns a body with a correct check for its bytes.
    private func resealed(_ body: [UInt8]) -> [UInt8] {
        let check = body.withUnsafeBytes { body in
            id.withUnsafeBytes { id in
                Checksum.xxh64(UnsafeRawBufferPointer(rebasing: body[4...]), seed: seal.seed(id: id))
            }
        }
        return withUnsafeBytes(of: UInt32(truncatingIfNeeded: check).littleEndian) { Array($0) } + body[4...]
    }

    @Test(arguments: [nil, 1, 300] as [Int64?], [false, true])
    func `a payload is read back byte for byte`(dictionary: Int64?, isPadded: Bool) {
        var random = SeededGenerator(seed: 11)
        var payloads = FileResources.sample + [[], [0], Array("{}".utf8)]
        for count in [15, 16, 255, 256, 70_000, 131_072, 200_000, 1 << 20] {
            payloads.append([UInt8](count: count, growingEvery: 7))
            payloads.append(random.bytes(count))
        }
        for payload in payloads {
            let body = encode(payload, dictionary: dictionary, isPadded: isPadded)
            #expect(decode(body) == .success(payload))
            #expect(body.count <= payload.count + 12)
            let withFields = encode(payload, dictionary: dictionary, fields: [1, 2, 3], isPadded: isPadded)
            #expect(decode(withFields) == .success(payload))
        }
    }

    @Test func `a small resource takes less than half of its bytes with a dictionary that was trained here`() {
        for payload in FileResources.sample {
            let body = encode(payload, dictionary: 1)
            #expect(body[4] & PayloadCodec.codecMask == PayloadCodec.Codec.deflate.rawValue)
            #expect(body.count * 2 < payload.count)
        }
    }

    @Test func `a dictionary is named in the head, and without it the body says so`() {
        let body = encode(FileResources.sample[0], dictionary: 300)
        #expect(body.withUnsafeBytes { PayloadDecoder.dictionary($0) } == 300)
        #expect(decode(body, without: 300) == .failure(.unknownDictionary))
        let alone = encode(FileResources.sample[0] + FileResources.sample[0], dictionary: nil)
        #expect(alone[4] & PayloadCodec.codecMask == PayloadCodec.Codec.deflate.rawValue)
        #expect(alone.withUnsafeBytes { PayloadDecoder.dictionary($0) } == nil)
    }

    /// A checksum may hold although the data is not what was written, in a forged file.
    @Test(arguments: [nil, 1] as [Int64?])
    func `damage behind a correct check is a typed error or another payload of the declared size`(dictionary: Int64?) {
        let payload = FileResources.sample[0] + FileResources.sample[1]
        let body = encode(payload, dictionary: dictionary)
        for damaged in Array(body[4...]).withOneBitFlipped {
            if case .success(let other) = decode(resealed(Array(body[..<4]) + damaged)) {
                #expect(other.count <= PayloadCodec.payloadByteCountMax)
            }
        }
        for count in 5..<body.count {
            guard case .failure(let fault) = decode(resealed(Array(body[..<count]))) else {
                Issue.record("a body cut to \(count) bytes is accepted")
                continue
            }
            #expect([.notDecodable, .truncated, .lengthMismatch].contains(fault))
        }
        #expect(decode(resealed(body + [0])) == .failure(.lengthMismatch))
        #expect(
            decode(resealed(Array(body[..<4]) + [body[4] | PayloadCodec.bareFlag] + body[5...]))
                == .failure(.unknownFormat))
    }

    @Test func `data that unpacks to another length than declared is refused`() throws {
        let content = [UInt8](repeating: 7, count: 1_000)
        var target = [UInt8](repeating: 0, count: 100)
        let compressor = try Compressor(.deflate)
        let count = content.withUnsafeBytes { content in
            target.withUnsafeMutableBytes { compressor.compress(content, into: $0, dictionary: nil) }
        }
        let data = Array(target[..<(try #require(count))])
        let decompressor = try Decompressor()
        for expected in [0, 1, 999, 1_000, 1_001, 5_000] {
            var found = [UInt8](repeating: 0, count: expected)
            let fault = data.withUnsafeBytes { data in
                found.withUnsafeMutableBytes {
                    decompressor.decompress(data, .deflate, into: $0, dictionary: nil)
                }
            }
            #expect(fault == (expected == 1_000 ? nil : .lengthMismatch), "\(expected)")
            #expect(fault != nil || found == content)
        }
    }

    @Test(arguments: [nil, 1] as [Int64?])
    func `a block is read back, and its damage is found`(number: Int64?) throws {
        var fixture = BlockFixture(seed: 5)
        let entities = fixture.entities(60)
        let dictionary = number.flatMap { dictionaries[$0] }
        var builder = BlockBuilder(library: fixture.library, type: fixture.type)
        for entity in entities { entity.withBlockEntity { builder.add($0) } }
        let bytes = builder.take(number: 9, ordinal: 1, dictionary: dictionary).packed(by: try BlockPacker(.deflate))
            .bytes
        let head = try bytes.withUnsafeBytes { bytes throws(PayloadError) in try BlockHead(bytes) }
        #expect(head.codec == .deflate)
        #expect(head.dictionary == number)
        let found = try BlockCodec.decode(bytes, number: 9, dictionaries: dictionaries)
        #expect(found.sorted { $0.key < $1.key }.map(\.value) == entities)
        var random = SeededGenerator(seed: 8)
        for _ in 0..<200 {
            var damaged = bytes
            damaged.flip(bit: random.below(8), at: head.data.lowerBound + random.below(head.data.count))
            let saved = try BlockCodec.salvage(damaged, number: 9, dictionaries: dictionaries)
            for (position, entity) in saved { #expect(entity == entities[position]) }
        }
    }

    /// Bodies of layers and of responses: what they are compressed with is known from their first bytes.
    @Test(arguments: Array(DataCompression.available))
    func `pieces are read back whatever they are compressed with`(compression: DataCompression) throws {
        var random = SeededGenerator(seed: 3)
        let compressor = try BlockCompressor(compression)
        for content in [
            [], [1], [UInt8](repeating: 5, count: 3 << 20), random.bytes(1 << 20),
            FileResources.sample.flatMap { $0 },
        ] as [[UInt8]] {
            var bytes: [UInt8] = []
            compressor.append(content, to: &bytes)
            var offset = 0
            #expect(
                try bytes.withUnsafeBytes { try BlockCompressor.content($0, at: &offset, count: content.count) }
                    == content)
            for count in 0..<min(bytes.count, 300) {
                #expect(throws: PayloadError.self) {
                    var offset = 0
                    _ = try bytes.withUnsafeBytes {
                        try BlockCompressor.content(
                            UnsafeRawBufferPointer(rebasing: $0[..<count]), at: &offset, count: content.count)
                    }
                }
            }
        }
    }

    @Test func `nothing repeats in random samples, so no dictionary is trained from them`() {
        var random = SeededGenerator(seed: 1)
        let samples = random.bytes(20 * 300)
        #expect(SegmentTrainer.train(samples, sizes: Array(repeating: 300, count: 20), byteCount: 16_000) == nil)
        #expect(SegmentTrainer.train([], sizes: [], byteCount: 16_000) == nil)
        #expect(SegmentTrainer.train(Array("ab".utf8), sizes: [1, 1], byteCount: 16_000) == nil)
    }
}
