import TidemarkModel
import TidemarkStore
import TidemarkWire

/// An answer whose resources went through the decoder, like an event's: checked, keyed and without white space.
struct DecodedAnswer: Sendable {
    let batch: EventBatch
    let head: AnswerHead
    /// As it came.
    let result: QueryResult

    /// - Throws: ``CacheError`` `invalidParams` or `limitExceeded`.
    /// - Complexity: O(bytes).
    init(_ result: QueryResult, for key: QueryKey, limits: Limits) throws(CacheError) {
        guard result.resources.count <= limits.batchMemberCountMax else {
            throw CacheError(
                .limitExceeded, "\(result.resources.count) resources: list at most \(limits.batchMemberCountMax)")
        }
        let text = try result.membership.map { (text) throws(CacheError) in
            try CanonicalJSON.text(of: text, name: "membership")
        }
        let membership = try text.map { (text) throws(CacheError) in try DecodedAnswer.membership(text) }
        let tags = try result.tags.map { (tags) throws(CacheError) in try CanonicalJSON.text(of: tags, name: "tags") }
        if result.isLocal, membership == nil {
            throw CacheError(.invalidParams, "local is true: pass a membership to evaluate as well")
        }
        self.result = result
        batch = try DecodedAnswer.decode(result, library: key.library, limits: limits)
        head = AnswerHead(
            key: key, timeToLive: result.timeToLive, asOf: result.asOf, membership: membership,
            membershipText: text?.bytes ?? [], tags: tags?.bytes ?? [], isLocal: result.isLocal, start: nil)
    }

    private static func membership(_ text: ByteString) throws(CacheError) -> Membership {
        do throws(MembershipError) {
            return try Membership(json: text.bytes)
        } catch {
            throw CacheError(.invalidParams, "membership: \(error.message)")
        }
    }

    private static func decode(
        _ result: QueryResult, library: ByteString, limits: Limits
    ) throws(CacheError) -> EventBatch {
        var line: [UInt8] = []
        append(result.resourceType, result.resources, library: library, to: &line)
        for included in result.included {
            append(included.resourceType, included.resources, library: library, to: &line)
        }
        let batch = try EventDecoder.answer(line, limits: limits)
        let counts = [result.resources.count] + result.included.map(\.resources.count)
        // Bytes that are no single object could look like several resources.
        guard batch.events.count == counts.count,
            zip(batch.events, counts).allSatisfy({ $0.kind == .unusable || Int($0.memberCount) == $1 })
        else { throw CacheError(.invalidParams, "a resource is not one JSON object: nothing was stored, mend it") }
        return batch
    }

    /// The same shape as a batch of changes; a line end inside a resource would cut it in two, so it becomes a space.
    private static func append(
        _ type: ByteString, _ resources: [[UInt8]], library: ByteString, to line: inout [UInt8]
    ) {
        line.append(contentsOf: #"{"library_id":"#.utf8)
        CanonicalString.append(library.bytes, to: &line)
        line.append(contentsOf: #","event":{"ResourceBatchChanged":{"resource_type":"#.utf8)
        CanonicalString.append(type.bytes, to: &line)
        line.append(contentsOf: #","resources":["#.utf8)
        for (index, resource) in resources.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            line.append(contentsOf: resource.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
        }
        line.append(contentsOf: "]}}}\n".utf8)
    }
}

extension EventDecoder {
    /// Decodes lines that the cache wrote itself, of any length.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` when memory is short.
    static func answer(_ lines: [UInt8], limits: Limits) throws(CacheError) -> EventBatch {
        var limits = limits
        limits.lineByteCountMax = max(lines.count, limits.lineByteCountMax)
        var framer = LineFramer(input: InputID(0), limits: limits)
        lines.withUnsafeBytes { framer.append($0) }
        framer.finish()
        let blocks = framer.takeBlocks()
        guard blocks.count == 1, let block = blocks.first else {
            throw CacheError(.limitExceeded, "\(lines.count) bytes are too many for one answer: give fewer resources")
        }
        do throws(WireError) {
            return try EventDecoder(limits: limits).decode(block)
        } catch {
            throw CacheError(.limitExceeded, "no memory to read \(lines.count) bytes: give fewer resources")
        }
    }
}
