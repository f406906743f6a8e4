import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// A stored answer in a listing. Nothing of it shows credentials.
public struct StoredResponse: Hashable, Sendable {
    /// Method, URL, and the caller's own key.
    public var key: String
    public var url: String
    public var status: Int
    /// The length of the body.
    public var byteCount: Int64
    /// The bytes that head and body take on the disk.
    public var storedByteCount: Int64
    /// The time since it was stored or confirmed.
    public var age: Duration
    /// The time until it is stale by RFC 9111; negative afterwards.
    public var freshnessLeft: Duration
    /// The value of `ETag`.
    public var tag: String?
    /// The value of `Last-Modified`.
    public var modified: String?
    public var hitCount: Int64

    /// The place after which the next page begins.
    let place: HTTPPlace

    /// - Returns: nil for a head that cannot be read.
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
