import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// A stored response as a listing shows it, without credentials and without the body.
package struct HTTPEntry: Hashable, Sendable {
    /// The method, the URL, and the caller's own key if there is one, separated by spaces.
    package var key: ByteString
    /// The URL of the request, in its normal form.
    package var url: ByteString
    /// The status code.
    package var status: Int
    /// The length of the body in bytes.
    package var byteCount: Int64
    /// The bytes that head and body take on the disk.
    package var storedByteCount: Int64
    /// How long ago the response was stored or confirmed, in seconds.
    package var age: Int64
    /// How long the response stays fresh by RFC 9111, in seconds; negative once it is stale.
    package var freshnessLeft: Int64
    /// The value of the `ETag` header.
    package var tag: ByteString?
    /// The value of the `Last-Modified` header.
    package var modified: ByteString?
    /// How often the stored response was served.
    package var hitCount: Int64

    /// Creates the entry of a listing from a row.
    ///
    /// - Returns: nil if the stored head is damaged.
    package init?(_ record: HTTPRecord, at now: Int64) {
        guard let answer = StoredResponseHead(bytes: record.head) else { return nil }
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

    /// Returns the status and fields of a stored response; nil if its head is damaged.
    package static func head(_ record: HTTPRecord) -> ResponseHead? {
        StoredResponseHead(bytes: record.head)?.head.head
    }
}

/// A page of a listing of stored responses.
package struct HTTPPage: Hashable, Sendable {
    /// The responses of the page, ordered by URL.
    package var entries: [HTTPEntry]
    /// The position of the next page; nil if this page is shorter than was asked for.
    package var next: ByteString?
}

extension HTTPClient {
    /// Returns a page of the stored responses that a selection matches.
    ///
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

    /// Removes the stored responses that a selection matches.
    ///
    /// - Returns: The number of responses removed.
    /// - Throws: ``CacheError`` `storageFailed`.
    package func invalidate(_ selection: HTTPSelection) async throws(CacheError) -> Int {
        try await store.write(store.removing([selection]))
    }

    /// Announces that stored responses are about to be removed: responses on their way to these places are not stored,
    /// and no request joins their exchanges. It does not wait, so it can be called before anything else is cleared.
    package nonisolated func noteRemoval(_ selection: HTTPSelection) { store.questions.noteRemoval(selection) }
}
