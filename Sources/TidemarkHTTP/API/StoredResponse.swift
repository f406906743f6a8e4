import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// A stored response as a listing shows it, without credentials and without the body.
public struct StoredResponse: Hashable, Sendable {
    /// The method, the URL, and the caller's own key if there is one, separated by spaces.
    public var key: String
    /// The URL of the request, in its normal form.
    public var url: String
    /// The status code.
    public var status: Int
    /// The length of the body in bytes.
    public var byteCount: Int64
    /// The bytes that head and body take on the disk.
    public var storedByteCount: Int64
    /// How long ago the response was stored or confirmed, in whole seconds.
    public var age: Duration
    /// How long the response stays fresh by RFC 9111, in whole seconds; negative once it is stale.
    public var freshnessLeft: Duration
    /// The value of the `ETag` header; nil if there is none.
    public var tag: String?
    /// The value of the `Last-Modified` header; nil if there is none.
    public var modified: String?
    /// How often the stored response was served.
    public var hitCount: Int64

    /// The position in the listing, after which the next page begins.
    let place: HTTPPlace

    /// Creates the entry of a listing from a row.
    ///
    /// - Returns: nil if the stored head is damaged.
    init?(_ record: HTTPRecord, at now: Int64) {
        guard let entry = HTTPEntry(record, at: now) else { return nil }
        key = entry.key.description
        url = entry.url.description
        status = entry.status
        byteCount = entry.byteCount
        storedByteCount = entry.storedByteCount
        age = .seconds(entry.age)
        freshnessLeft = .seconds(entry.freshnessLeft)
        tag = entry.tag?.description
        modified = entry.modified?.description
        hitCount = entry.hitCount
        place = HTTPPlace(library: record.library, url: record.url, number: record.number)
    }
}
