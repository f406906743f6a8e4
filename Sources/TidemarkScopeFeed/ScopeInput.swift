import TidemarkJSON
import TidemarkModel
import TidemarkWire

/// The lines of one stream: bytes → batches of events, with what the feed itself has to know of them.
struct ScopeInput {
    /// What a batch of lines shows.
    struct Finding {
        /// The library of the first line; nil if the batch names none.
        var library: ByteString?
        /// The reason of a last line that ends the stream; nil without one.
        var bye: String?
        /// True if a line is about another library than the first one: then nothing of the batch is used.
        var isForeign = false
    }

    private var framer: LineFramer
    private let decoder: EventDecoder

    init(input: InputID, limits: Limits) throws(WireError) {
        framer = LineFramer(input: input, limits: limits)
        decoder = try EventDecoder(limits: limits)
    }

    /// Adds bytes, and returns the batches of the lines that they complete.
    ///
    /// - Throws: ``/TidemarkWire/WireError`` when memory runs out.
    mutating func append(_ bytes: [UInt8]) throws(WireError) -> [EventBatch] {
        bytes.withUnsafeBytes { framer.append($0) }
        var batches: [EventBatch] = []
        for block in framer.takeBlocks() { batches.append(try decoder.decode(block)) }
        return batches
    }

    /// Looks at a batch before it is applied.
    ///
    /// - Parameter library: The library of the stream; nil before its first line.
    func finding(in batch: EventBatch, of library: ByteString?) -> Finding {
        var finding = Finding(library: library)
        batch.withBytes { bytes in
            for event in batch.events where event.kind != .unusable {
                if event.library.isAbsent {
                    finding.bye = event.kind == .unknown ? bye(bytes[event.detail], event, batch) : nil
                    if finding.bye == nil { finding.isForeign = true }
                } else {
                    let name = ByteString(bytes[event.library])
                    if name != finding.library ?? name { finding.isForeign = true }
                    finding.library = name
                }
            }
        }
        return finding
    }

    private func bye(_ kind: UnsafeRawBufferPointer, _ event: ChangeEvent, _ batch: EventBatch) -> String? {
        guard kind.elementsEqual("bye".utf8) else { return nil }
        let span = batch.lines[Int(event.line)]
        do throws(JSONSyntaxError) {
            let line = try JSONValue(parsing: batch.block[Int(span.offset)..<Int(span.offset + span.count)])
            return line["bye"]?["reason"]?.string ?? ""
        } catch {
            // No input reaches it: the decoder calls a line that is no JSON unusable.
            preconditionFailure("a line that was decoded is no JSON: \(error)")
        }
    }
}
