import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A response whose resources were decoded as those of an event: checked, keyed, and without white space.
struct DecodedResponse: Sendable {
    let batch: EventBatch
    let head: QueryResultHead
    /// The response as it arrived.
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
        let membership = try text.map { (text) throws(CacheError) in try DecodedResponse.membership(text) }
        let tags = try result.tags.map { (tags) throws(CacheError) in try CanonicalJSON.text(of: tags, name: "tags") }
        if result.isLocal, membership == nil {
            throw CacheError(.invalidParams, "local is true: pass a membership to evaluate as well")
        }
        self.result = result
        batch = try DecodedResponse.decode(result, library: key.library, limits: limits)
        head = QueryResultHead(
            key: key, timeToLive: result.timeToLive?.wholeMilliseconds, asOf: result.asOf, membership: membership,
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
        let resourceCount = result.resources.count + result.included.reduce(0) { $0 + $1.resources.count }
        let byteCount = result.included.reduce(result.resources.reduce(0) { $0 + $1.count }) { sum, included in
            included.resources.reduce(sum) { $0 + $1.count }
        }
        var line: [UInt8] = []
        line.reserveCapacity(byteCount + resourceCount + (result.included.count + 1) * 256)
        append(result.resourceType, result.resources, library: library, to: &line)
        for included in result.included {
            append(included.resourceType, included.resources, library: library, to: &line)
        }
        let batch = try EventDecoder.answer(line, limits: limits)
        let counts = [result.resources.count] + result.included.map(\.resources.count)
        // Bytes that are not one object could be mistaken for several resources.
        guard batch.events.count == counts.count,
            zip(batch.events, counts).allSatisfy({ $0.kind == .unusable || Int($0.memberCount) == $1 })
        else { throw CacheError(.invalidParams, "a resource is not one JSON object: nothing was stored, correct it") }
        return batch
    }

    /// Appends resources in the form of a batch event. A line end inside a resource would cut the line in two, so it
    /// becomes a space.
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
            var place = line.count
            line.append(contentsOf: resource)
            while let end = line.withUnsafeBytes({ $0.firstLineFeed(in: place..<$0.count) }) {
                line[end] = UInt8(ascii: " ")
                place = end + 1
            }
        }
        line.append(contentsOf: "]}}}\n".utf8)
    }
}

extension EventDecoder {
    /// Decodes lines of any length that the cache wrote itself.
    ///
    /// - Parameter lines: Lines that each end with an LF.
    /// - Throws: ``CacheError`` `limitExceeded` past ``answerByteCountMax``, and when memory runs out.
    static func answer(_ lines: consuming [UInt8], limits: Limits) throws(CacheError) -> EventBatch {
        let byteCount = lines.count
        guard byteCount <= answerByteCountMax else {
            throw CacheError(.limitExceeded, "\(byteCount) bytes are too many for one answer: give fewer resources")
        }
        do throws(WireError) {
            return try EventDecoder(limits: limits).decode(LineBlock(lines: lines))
        } catch {
            throw CacheError(.limitExceeded, "no memory to read \(byteCount) bytes: give fewer resources")
        }
    }

    /// The largest response, and the largest resource of a put: 1 GiB.
    static let answerByteCountMax = LineBlock.byteCountMax
}
