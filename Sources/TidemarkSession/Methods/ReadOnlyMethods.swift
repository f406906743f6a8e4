import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The methods that a read-only server performs, on a database that another process writes.
///
/// - Source: Protocol/serving.md, reading beside a writer.
enum ReadOnlyMethods {
    private static let names: Set<ByteString> = [
        "entity.get", "entity.list", "entity.find", "query.read", "query.list", "quarantine.list", "facets",
        "cache.stats", "cache.explain", "doctor.findings", "optimistic.list", "initialize",
    ]

    /// Returns why a request is refused; nil if it may be performed.
    static func refusal(of request: Message.Request) -> MessageError? {
        guard names.contains(request.method) else {
            return MessageError(
                code: 403, message: "this server only reads: ask the one that writes the database", name: "read_only")
        }
        guard request.method == "query.read" else { return nil }
        let policy = request.params?.members?[Array("policy".utf8)]?.text
        if policy == Array("cacheOnly".utf8) { return nil }
        return MessageError(
            code: 403, message: "this server only reads, and fetches nothing: pass the policy cacheOnly",
            name: "read_only")
    }
}
