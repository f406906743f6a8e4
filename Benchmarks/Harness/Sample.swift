import TidemarkModel
import TidemarkTesting
import TidemarkWire

/// Entities of one type with about 430 bytes each, and the lines that change them. The contents are a function of the
/// index and the version.
enum Sample {
    static let type = "file"
    /// A placeholder for the time of sending, always of the same width; see ``stamp(_:with:)``.
    static let noTime: [UInt8] = Array("1000000000000000000".utf8)
    private static let marker: [UInt8] = Array("\"sent\":".utf8)
    private static let notes: [UInt8] = {
        var random = SeededGenerator(seed: 20_260_102)
        return (0..<220).map { _ in UInt8(ascii: "a") + UInt8(random.below(26)) }
    }()

    /// Appends one version of an entity's resource.
    static func append(_ index: Int, version: Int, to bytes: inout [UInt8]) {
        bytes += "{\"id\":\"00000000-0000-4000-8000-".utf8
        for shift in stride(from: 44, through: 0, by: -4) { bytes.append(hexDigits[(index >> shift) & 15]) }
        bytes += "\",\"sent\":".utf8
        bytes += noTime
        bytes +=
            ",\"version\":\(version),\"album\":\"own-\(index % 97)\",\"sd_path\":\"/own/\(index % 89)/\(index).jpg\""
            .utf8
        bytes += ",\"favorite\":\(version % 2 == 0),\"size\":\(index &* 7_919 &+ version),\"notes\":\"".utf8
        bytes += notes
        bytes += "\"}".utf8
    }

    /// Returns one version of an entity's resource.
    static func resource(_ index: Int, version: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(index, version: version, to: &bytes)
        return bytes
    }

    /// Returns the key of an entity.
    static func key(of index: Int) -> EntityKey {
        // The id follows `{"id":"` and is a UUID.
        EntityKey(library: "", type: ByteString(type), id: ByteString(resource(index, version: 0)[7..<43]))
    }

    /// Appends the line of one event with its LF.
    static func appendChange(of index: Int, version: Int, sequence: Int, to bytes: inout [UInt8]) {
        bytes +=
            "{\"sequence\":\(sequence),\"event\":{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":".utf8
        append(index, version: version, to: &bytes)
        bytes += "}}}\n".utf8
    }

    /// Returns the answer to a query that lists these entities, as a line with its LF.
    static func answer(_ indexes: some Sequence<Int>) -> [UInt8] {
        var bytes = Array("{\"event\":{\"ResourceBatchChanged\":{\"resource_type\":\"file\",\"resources\":[".utf8)
        for (place, index) in indexes.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(index, version: 0, to: &bytes)
        }
        bytes += "]}}}\n".utf8
        return bytes
    }

    /// Writes a time, nanoseconds with 19 digits, into a placeholder of the line.
    static func stamp(_ line: inout [UInt8], at place: Int, with time: Int64) {
        var rest = time
        for index in stride(from: place + noTime.count - 1, through: place, by: -1) {
            line[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Returns the offsets of the placeholders for times in a line.
    static func places(in line: some RandomAccessCollection<UInt8>) -> [Int] {
        line.withContiguousStorageIfAvailable { bytes in
            var places: [Int] = []
            var index = 0
            while index + marker.count + noTime.count <= bytes.count {
                if bytes[index] == marker[0], bytes[index + 1] == marker[1],
                    bytes[index..<index + marker.count].elementsEqual(marker)
                {
                    places.append(index + marker.count)
                    index += marker.count + noTime.count
                } else {
                    index += 1
                }
            }
            return places
        } ?? []
    }

    /// Returns the time in a placeholder.
    static func time(in line: some RandomAccessCollection<UInt8>, at place: Int) -> Int64 {
        let start = line.index(line.startIndex, offsetBy: place)
        return line[start...].prefix(noTime.count).reduce(0) { $0 &* 10 &+ Int64($1 & 15) }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// Splits and decodes lines in memory, as a reader would.
struct SampleDecoder {
    private let pool = BatchPool()
    private let decoder: EventDecoder

    init() throws {
        decoder = try EventDecoder(pool: pool)
    }

    /// Splits and decodes lines, and returns the batches of their events.
    func batches(of lines: [UInt8]) throws -> [EventBatch] {
        var framer = LineFramer(pool: pool)
        var batches: [EventBatch] = []
        var offset = 0
        try lines.withUnsafeBytes { lines in
            while offset < lines.count {
                let count = min(Workload.chunkByteCount, lines.count - offset)
                framer.append(UnsafeRawBufferPointer(rebasing: lines[offset..<offset + count]))
                offset += count
                for block in framer.takeBlocks() { batches.append(try decoder.decode(block)) }
            }
        }
        return batches
    }
}
