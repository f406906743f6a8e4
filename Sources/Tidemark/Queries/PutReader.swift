import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Decodes resources that a caller puts, as those of an event: checked, keyed, and without white space.
///
/// Many puts share the buffers of one batch. A put takes its own bytes, ``envelopeByteCount`` and about 200 more.
struct PutReader {
    /// How many bytes of lines are decoded at once: 64 KiB, or one larger line. Decoding takes several times as much
    /// memory.
    private static let pieceByteCount = 64 << 10
    /// The approximate size of a line without library, type and resource.
    private static let envelopeByteCount = 80

    private let library: ByteString
    private let limits: Limits
    private var decoder: EventDecoder?
    private var lines: [UInt8] = []
    private var lineCount = 0
    /// The decoded puts, in order.
    private var puts: [PutResource] = []

    init(library: ByteString, limits: Limits) {
        self.library = library
        self.limits = limits
    }

    /// Adds a put.
    ///
    /// - Parameter resource: Any bytes. A line end inside the resource would cut the line in two, so it becomes a
    ///   space.
    /// - Throws: ``CacheError`` `limitExceeded` when the resource is too large or memory runs out.
    mutating func add(type: ByteString, _ resource: [UInt8]) throws(CacheError) {
        let byteCount = PutReader.envelopeByteCount + library.bytes.count + type.bytes.count + resource.count
        guard byteCount <= EventDecoder.answerByteCountMax else {
            throw CacheError(
                .limitExceeded, "a resource has \(resource.count) bytes: that is too many, nothing changed")
        }
        if !lines.isEmpty, lines.count + byteCount > PutReader.pieceByteCount { try decode() }
        lines.append(contentsOf: #"{"library_id":"#.utf8)
        CanonicalString.append(library.bytes, to: &lines)
        lines.append(contentsOf: #","event":{"ResourceChanged":{"resource_type":"#.utf8)
        CanonicalString.append(type.bytes, to: &lines)
        lines.append(contentsOf: #","resource":"#.utf8)
        lines.append(contentsOf: resource.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
        lines.append(contentsOf: "}}}\n".utf8)
        lineCount += 1
    }

    /// Returns every put that was added, in order.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` when memory runs out.
    consuming func finish() throws(CacheError) -> [PutResource] {
        if lineCount > 0 { try decode() }
        return puts
    }

    private mutating func decode() throws(CacheError) {
        // The copy has the exact size, and the buffer that the lines grew into is used again.
        var own: [UInt8] = []
        own.reserveCapacity(lines.count + LineBlock.paddingByteCount)
        own.append(contentsOf: lines)
        let byteCount = lines.count
        let batch: EventBatch
        do throws(WireError) {
            let own = LineBlock(lines: own)
            if let decoder {
                batch = try decoder.decode(own)
            } else {
                let new = try EventDecoder(limits: limits)
                decoder = new
                batch = try new.decode(own)
            }
        } catch {
            throw CacheError(.limitExceeded, "no memory to read \(byteCount) bytes: give fewer resources")
        }
        puts.append(contentsOf: (0..<lineCount).map { PutResource(batch: batch, index: $0) })
        lines.removeAll(keepingCapacity: lines.capacity <= 2 * PutReader.pieceByteCount)
        lineCount = 0
    }
}
