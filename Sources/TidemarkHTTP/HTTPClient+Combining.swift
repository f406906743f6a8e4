import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Responses that change a part of a stored response: those to range requests and to HEAD.
extension HTTPClient {
    /// Combines a partial response with the stored one, if they belong together, and stores the result.
    ///
    /// - Returns: What is left to be done with the partial response itself.
    func combine(
        _ completed: inout CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?,
        _ storing: ResponseOutcome.Storing, _ replaced: [Int64]
    ) async throws(CacheError) -> ResponseOutcome.Storing {
        guard let new = completed.content.bytes, let place = ContentRange.of(completed.head.fields),
            place.bounds.count == new.count
        else {
            // A partial response that is shorter than its head says is passed on and not stored.
            return .leave
        }
        guard storing == .store, let found = lookup?.found,
            let (bounds, total) = RangeRules.combined(found.answer.head, with: completed.head),
            bounds.count <= defaults.bodyByteCountMax, let old = try await store.body(found, usedAt: nil)
        else { return storing }
        let oldPlace = ContentRange.of(found.answer.head.head.fields)
        let oldStart = found.answer.head.head.status == 200 ? 0 : oldPlace?.bounds.lowerBound ?? 0
        var body = [UInt8](repeating: 0, count: bounds.count)
        let oldOffset = Int(oldStart - bounds.lowerBound)
        body.replaceSubrange(oldOffset..<(oldOffset + old.count), with: old)
        let newOffset = Int(place.bounds.lowerBound - bounds.lowerBound)
        body.replaceSubrange(newOffset..<(newOffset + new.count), with: new)
        var combined = completed
        combined.content = .bytes(body)
        combined.stored.byteCount = Int64(body.count)
        if bounds == 0..<total {
            combined.stored.head.status = 200
            combined.stored.head.reason = "OK"
            combined.stored.head.fields.remove("content-range")
        } else {
            combined.stored.head.fields.set("Content-Range", ContentRange(bounds: bounds, total: total).text)
        }
        combined.stored.head.fields.set("Content-Length", "\(body.count)")
        try await store.write([
            HTTPResponseStore.storing(combined, question, normalized: nil, replacing: replaced)
        ])
        completed.isStored = true
        return .leave
    }

    /// Returns what a response to HEAD changes in the stored response to GET: it refreshes it, or removes it if it is
    /// outdated.
    ///
    /// - Source: RFC 9111, section 4.3.5.
    func ofHead(_ completed: CompletedExchange, _ question: Question) async throws(CacheError) -> [HTTPChange] {
        guard completed.head.status == 200 else { return [] }
        var ofGet = question.fetch
        ofGet.request.method = "GET"
        let lookup = try await store.look(ofGet, key: ofGet.key, salt: question.salt)
        guard var found = lookup.found else { return [] }
        guard found.answer.head.agrees(withHead: completed.head),
            found.confirm(by: completed.stored, for: ofGet.request.fields, salt: question.salt),
            !StorageRules.forbidsStoring(found.answer.head.head.fields, ofGet.rules)
        else { return [.remove([found.record.number])] }
        return [
            .update(
                number: found.record.number, head: found.answer.bytes, answeredAt: completed.stored.answeredAt)
        ]
    }
}
