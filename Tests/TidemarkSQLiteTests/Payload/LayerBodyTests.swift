import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The bytes of a layer's row, without SQLite.
@Suite(.pooled) struct LayerBodyTests {
    private let types: [ByteString] = ["file", "tag"]

    /// Returns a record with field names of any bytes.
    private func record(_ names: [[UInt8]]) -> LayerRecord {
        LayerRecord(
            number: 1, pendingID: "p", library: 3, dependsOn: ["q"], createdAt: 0,
            changes: names.enumerated().map { index, name in
                .removeField(key(TypeIndex(index % 2), ByteString("\(index)")), ByteString(name))
            })
    }

    private func key(_ type: TypeIndex, _ id: ByteString) -> StoredKey {
        StoredKey(library: 3, type: type, id: .text(id))
    }

    private func decoded(_ bytes: [UInt8]) throws -> [LayerChange] {
        var names = LayerNames(libraries: [], types: types)
        return try bytes.withUnsafeBytes { try LayerBodyCodec.decode($0, library: 3, &names).changes }
    }

    private func fault(_ bytes: [UInt8]) -> PayloadError? {
        var names = LayerNames(libraries: [], types: types)
        return bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) {
                _ = try LayerBodyCodec.decode(bytes, library: 3, &names)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(arguments: [0, 1, 100, (1 << 20) - 40, 1 << 20, (1 << 20) + 1, 5_000_000])
    func `layers of every size are read back, in blocks`(byteCount: Int) throws {
        var random = SeededGenerator(seed: UInt64(byteCount))
        let noise = random.bytes(byteCount)
        for name in [noise, Array(repeating: 7, count: byteCount)] {
            let record = record([name, [1, 2], name])
            let bytes = LayerBodyCodec.encode(record, types: types, try BlockCompressor())
            #expect(try decoded(bytes) == record.changes)
            // A block that does not compress is stored raw.
            #expect(bytes.count < 2 * byteCount + 200)
        }
    }

    @Test func `bodies that declare too much, too little or nonsense are refused without an allocation`() throws {
        let sound = LayerBodyCodec.encode(
            record([Array(repeating: 7, count: 9_000)]), types: types, try BlockCompressor())
        #expect(fault(sound) == nil)
        #expect(fault([]) == .truncated)
        #expect(fault([0x30]) == .unknownFormat)
        #expect(fault([0x20]) == .truncated)
        #expect(fault([0x11, 0]) == .unknownFormat)
        #expect(fault([0x10]) == .truncated)
        // The sizes are 4 GiB, and one byte above the limit.
        #expect(fault([0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == .tooLarge)
        var large: [UInt8] = [0x10]
        PayloadCodec.append(LayerBodyCodec.contentByteCountMax + 1, to: &large)
        #expect(fault(large) == .tooLarge)
        large = [0x10]
        PayloadCodec.append(LayerBodyCodec.contentByteCountMax, to: &large)
        #expect(fault(large) == .truncated)
        #expect(fault(sound + [0]) == .lengthMismatch)
        for count in 1..<sound.count { #expect(fault(Array(sound[..<count])) != nil, "\(count) bytes") }
        // The frame unpacks to more, or to less, than its block may contain.
        var longer: [UInt8] = [0x10]
        PayloadCodec.append(9_500, to: &longer)
        var frame = sound
        frame.removeFirst(3)
        #expect(fault(longer + frame) == .lengthMismatch)
        // The unpacked contents are 200 dependencies without data, a type without a name, and an unknown kind.
        for content in [[0xC8, 1], [0, 0, 1, 0, 0, 2, 65, 0], [0, 0, 1, 9, 0, 2, 65]] as [[UInt8]] {
            var bytes: [UInt8] = [0x10]
            PayloadCodec.append(content.count, to: &bytes)
            PayloadCodec.append(content.count, to: &bytes)
            #expect(fault(bytes + content) != nil)
        }
    }

    @Test func `a layer with an unnamed type is refused`() throws {
        let bytes = LayerBodyCodec.encode(record([[1], [2]]), types: ["file", "else"], try BlockCompressor())
        #expect(fault(bytes) == .unnamed)
    }

    @Test func `a resource that a fold could not read is refused, whatever its checksum`() throws {
        let compressor = try BlockCompressor()
        for text in ["", "[]", "{", #"{"a": 1}"#, #"{"a":"x}"#, #"{"a":1,}"#] {
            var forged = record([])
            forged.changes = [.put(key(0, "1"), resource: Array(text.utf8))]
            #expect(fault(LayerBodyCodec.encode(forged, types: types, compressor)) == .notJSON, "\(text)")
            forged.changes = [.patch(key(0, "1"), fields: Array(text.utf8), unset: [])]
            let expected: PayloadError? = text.isEmpty ? nil : .notJSON
            #expect(fault(LayerBodyCodec.encode(forged, types: types, compressor)) == expected, "\(text)")
        }
    }
}
