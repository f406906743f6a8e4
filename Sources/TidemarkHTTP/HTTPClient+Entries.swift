import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// One stored answer of a listing. Nothing of it shows credentials.
package struct HTTPEntry: Hashable, Sendable {
    /// Method, URL, and the caller's own key.
    package var key: ByteString
    package var url: ByteString
    package var status: Int
    package var byteCount: Int64
    package var storedByteCount: Int64
    /// The age of the answer in seconds, as ``freshnessLeft``.
    package var age: Int64
    package var freshnessLeft: Int64
    package var tag: ByteString?
    package var modified: ByteString?
    package var hitCount: Int64

    /// - Returns: nil for a head that cannot be read.
    package init?(_ record: HTTPRecord, at now: Int64) {
        guard let answer = StoredAnswer(bytes: record.head) else { return nil }
        let parts = record.key.bytes.filter { $0 != 0x0D }.split(separator: 0x0A, maxSplits: 1)
        var text = Array(parts.first ?? []) + Array(" ".utf8) + record.url.bytes
        if parts.count == 2 { text += Array(" ".utf8) + Array(parts[1]) }
        key = ByteString(text)
        url = record.url
        let freshness = Freshness(answer.head, at: now)
        status = answer.head.head.status
        byteCount = record.byteCount
        storedByteCount = record.storedByteCount
        age = answer.head.sinceConfirmed(at: now)
        freshnessLeft = freshness.left
        tag = answer.head.head.fields.first("etag")
        modified = answer.head.head.fields.first("last-modified")
        hitCount = record.hitCount
    }

    /// Returns the stored head, for a command that shows it.
    package static func head(_ record: HTTPRecord) -> ResponseHead? { StoredAnswer(bytes: record.head)?.head.head }
}

/// A part of a listing.
package struct HTTPPage: Hashable, Sendable {
    package var entries: [HTTPEntry]
    /// The place of the next page; nil at the end.
    package var next: ByteString?
}

extension HTTPClient {
    /// - Throws: ``CacheError`` `storageFailed`.
    package func list(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(CacheError) -> HTTPPage {
        let records = try await store.page(selection, after: after, countMax: countMax)
        let now = clock.now()
        let next = records.count == countMax ? records.last : nil
        return HTTPPage(
            entries: records.compactMap { HTTPEntry($0, at: now) },
            next: next.map { ByteString("\($0.number):\($0.url)") })
    }

    /// Removes stored answers.
    ///
    /// - Returns: The number of answers that were removed.
    /// - Throws: ``CacheError`` `storageFailed`.
    package func invalidate(_ selection: HTTPSelection) async throws(CacheError) -> Int {
        try await store.write(store.removing([selection]))
    }

    /// Notes that answers are about to be removed: an answer that is on its way to one of their places is not stored,
    /// and nobody joins its question. It does not wait, so that it can be called before anything else is cleared.
    package nonisolated func noteRemoval(_ selection: HTTPSelection) { store.questions.noteRemoval(selection) }
}
