import TidemarkModel

/// A request to read or observe one entity.
///
/// ```swift
/// var request = EntityRequest(EntityKey(type: "photo", id: "1"), fields: ["name"])
/// request.maxAges = ["photo.name": 60]
/// request.maxStale = .seconds(30)
/// let read = try await cache.read(request)
/// if let name = read.entity { print(String(decoding: name, as: UTF8.self)) }
/// if let miss = read.miss { print(miss.rawValue) }
/// ```
public struct EntityRequest: Hashable, Sendable {
    /// The entity to read.
    public var key: EntityKey
    /// The names of the wanted top-level fields; nil for all.
    public var fields: [ByteString]?
    /// The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    public var maxAges: [ByteString: Int] = [:]
    /// Whether to notify an observer as soon as a field becomes too old. Default: false. Nothing is fetched.
    ///
    /// - Source: Protocol/sessions.md, refreshing.
    public var refreshes = false
    /// How long past its age limit a field is still accepted; nil for not at all.
    public var maxStale: Duration?

    /// Makes a request without age limits of its own.
    public init(_ key: EntityKey, fields: [ByteString]? = nil) {
        self.key = key
        self.fields = fields
    }
}
