import Tidemark
import TidemarkHTTP
import TidemarkModel
import TidemarkStore

/// Parses requests into methods, and checks their parameters.
package struct MethodReader: Sendable {
    let limits: Limits
    let defaultLibrary: ByteString
    let http: HTTPClientDefaults
    /// True if requests that change data must not have unknown parameters. False for recordings, which may be from
    /// another version.
    private let isStrict: Bool

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limits: Limits on ids, types and counts.
    ///   - defaultLibrary: The library of requests that name none.
    ///   - http: Defaults for the parameters of `http.fetch`.
    ///   - isStrict: True to refuse unknown parameters, for a host's requests; false for recordings.
    package init(
        limits: Limits, defaultLibrary: ByteString, http: HTTPClientDefaults = HTTPClientDefaults(),
        isStrict: Bool = false
    ) {
        self.http = http
        self.limits = limits
        self.defaultLibrary = defaultLibrary
        self.isStrict = isStrict
    }

    /// Parses a request.
    ///
    /// - Throws: ``MethodError`` for an unknown method or wrong parameters.
    func method(of request: Message.Request) throws(MethodError) -> Method {
        guard let read = MethodReader.reader(of: request.method) else { throw .unknownMethod }
        do throws(CacheError) {
            guard let value = request.params else { return try read(self, Params()) }
            guard value.kind == .object else {
                throw CacheError(.invalidParams, "params are \(value.kind.rawValue): pass an object, params go by name")
            }
            let params = try Params(value)
            let strict =
                MethodReader.strictParams[request.method] ?? MethodReader.strictGraphParams[request.method]
                ?? MethodReader.strictInspectionParams[request.method]
            try check(params, strict, of: request.method.description)
            return try read(self, params)
        } catch {
            throw .params(error)
        }
    }

    private static func reader(of method: ByteString) -> Reader? {
        if let reader = readers[method] { return reader }
        if let reader = inspectionReaders[method] {
            return { (own, params) throws(CacheError) in .inspection(try reader(own, params)) }
        }
        guard let reader = graphReaders[method] else { return nil }
        return { (own, params) throws(CacheError) in .graph(try reader(own, params)) }
    }

    /// True if values are accepted that are refused today but may occur in old recordings.
    var isLenient: Bool { !isStrict }

    /// Refuses unknown members of a request or of a part of it, if the reader is strict.
    func check(_ params: Params, _ known: [String]?, of owner: String) throws(CacheError) {
        guard isStrict, let known else { return }
        try params.refuseUnknown(known + ["library_id"], of: owner)
    }

    /// The parameters of methods that change data, without `library_id`. A misspelt parameter must not widen the
    /// change.
    private static let strictParams: [ByteString: [String]] = [
        "cache.transaction": ["operations"],
        "cache.remove": ["resource_type", "ids", "matching", "cascade"],
        "cache.clear": ["http"],
        "http.invalidate": ["url", "prefix", "storage", "all"],
        "cache.invalidate": ["method", "input", "resource_type", "tags", "hints", "all"],
        "query.put": [
            "method", "input", "resource_type", "resources", "included", "ttl", "as_of", "membership", "tags", "local",
        ],
        "optimistic.update": ["pending_id", "changes", "depends_on", "send"],
        "optimistic.commit": ["pending_id", "confirmed", "resource_type", "sequence", "id_map"],
        "optimistic.rollback": ["pending_id"],
        "optimistic.list": [],
        "optimistic.retry": ["pending_id"],
        "outbox.pause": [],
        "outbox.resume": [],
        "outbox.list": [],
    ]

    private typealias Reader = @Sendable (MethodReader, Params) throws(CacheError) -> Method

    private static let readers: [ByteString: Reader] = [
        "entity.get": { (reader, params) throws(CacheError) in
            try params.flag("base")
                ? .inspection(.base(try reader.key(params), fields: try reader.fields(params)))
                : .get(try reader.entityRequest(params))
        },
        "entity.list": { (reader, params) throws(CacheError) in try reader.list(params) },
        "entity.observe": { (reader, params) throws(CacheError) in
            if try params.flag("base") {
                throw CacheError(.invalidParams, "base is true: read the base with entity.get; observers see edits")
            }
            return .observeEntity(try reader.entityRequest(params))
        },
        "cache.transaction": { (reader, params) throws(CacheError) in
            .transact(
                try reader.operations(params), library: try reader.library(params),
                expecting: try reader.expectations(params))
        },
        "cache.remove": { (reader, params) throws(CacheError) in .remove(try reader.removal(params)) },
        "cache.clear": { (reader, params) throws(CacheError) in
            .clear(library: try reader.optionalLibrary(params), withHTTP: try params.flag("http"))
        },
        "http.fetch": { (reader, params) throws(CacheError) in .http(.fetch(try reader.httpFetch(params))) },
        "http.observe": { (reader, params) throws(CacheError) in .http(.observe(try reader.httpFetch(params))) },
        "http.invalidate": { (reader, params) throws(CacheError) in
            .http(.invalidate(try reader.httpInvalidation(params)))
        },
        "http.list": { (reader, params) throws(CacheError) in .http(try reader.httpList(params)) },
        "query.put": { (reader, params) throws(CacheError) in
            try reader.checkIncluded(params)
            return .put(try QueryResult(params, limits: reader.limits), try reader.query(params))
        },
        "query.read": { (reader, params) throws(CacheError) in .read(try reader.queryRequest(params)) },
        "query.observe": { (reader, params) throws(CacheError) in .observeQuery(try reader.queryRequest(params)) },
        "observe.cancel": { (_, params) throws(CacheError) in
            guard let number = try params.integer("subscription", in: 0...Int64.max) else {
                throw params.wrong("subscription", "the number in the answer to the observe request")
            }
            return .cancel(SubscriptionID(number))
        },
        "cache.invalidate": { (reader, params) throws(CacheError) in .invalidate(try reader.invalidation(params)) },
        "optimistic.update": { (reader, params) throws(CacheError) in .layer(.update(try reader.update(params))) },
        "optimistic.commit": { (reader, params) throws(CacheError) in .layer(.commit(try reader.commit(params))) },
        "optimistic.rollback": { (reader, params) throws(CacheError) in .layer(try reader.rollBack(params)) },
        "optimistic.list": { (reader, params) throws(CacheError) in
            .pending(library: try reader.optionalLibrary(params))
        },
        "optimistic.retry": { (reader, params) throws(CacheError) in
            .layer(
                .retry(try params.requiredText("pending_id"), library: try reader.optionalLibrary(params)))
        },
        "outbox.pause": { (_, _) throws(CacheError) in .outbox(.pause) },
        "outbox.resume": { (_, _) throws(CacheError) in .outbox(.resume) },
        "outbox.list": { (reader, params) throws(CacheError) in
            .outbox(.list(library: try reader.optionalLibrary(params)))
        },
        "cache.stats": { (_, _) throws(CacheError) in .statistics },
        "cache.explain": { (reader, params) throws(CacheError) in
            .explain(try reader.key(params), maxAges: try reader.maxAges(params))
        },
        "cache.flush": { (_, _) throws(CacheError) in .flush },
        "cache.caught_up": { (reader, params) throws(CacheError) in
            guard let sequence = try params.sequence("sequence") else {
                throw params.wrong("sequence", "the sequence to wait for")
            }
            return .caughtUp(sequence, library: try reader.library(params))
        },
        "initialize": { (_, params) throws(CacheError) in
            try MethodReader.checkProtocol(params)
            return .initialize
        },
    ]

    /// Returns true if a method creates an observer, which needs a receiver for its notifications.
    static func observes(_ method: ByteString) -> Bool { method.bytes.suffix(8).elementsEqual(".observe".utf8) }

    /// The names of all methods, sorted.
    static var names: [ByteString] { (Array(readers.keys) + graphReaders.keys + inspectionReaders.keys).sorted() }

    /// Refuses a host that requires a later protocol version than this one.
    private static func checkProtocol(_ params: Params) throws(CacheError) {
        if let host = params.value("host"), host.kind != .string { throw params.wrong("host", "the host's name") }
        let known = TidemarkVersion.sessionProtocol
        guard let asked = try params.integer("protocol", in: 1...Int64.max), asked > known else { return }
        throw CacheError(
            .invalidParams,
            "protocol is \(asked): this version serves protocol \(known); update tidemark, or pass \(known)")
    }

    /// Returns the library that a request names, or the default library.
    package func library(_ params: Params) throws(CacheError) -> ByteString {
        try params.text("library_id", byteCountMax: limits.idByteCountMax) ?? defaultLibrary
    }

    /// Returns the entity that a request names.
    package func key(_ params: Params) throws(CacheError) -> EntityKey {
        EntityKey(
            library: try library(params), type: try params.resourceType(limits: limits),
            id: try params.id(limits: limits))
    }

    /// Reads `after`, the entity before the page; nil starts at the first entity.
    func place(_ params: Params, type: ByteString, library: ByteString) throws(CacheError) -> EntityKey? {
        let byteCountMax = limits.typeByteCountMax + 1 + limits.idByteCountMax
        guard let text = try params.text("after", byteCountMax: byteCountMax) else { return nil }
        guard let key = EntityKey(text: text, library: library), key.type == type else {
            throw CacheError(.invalidParams, "after is '\(text)': pass `next` of an earlier page, as \(type):id")
        }
        return key
    }

    private func list(_ params: Params) throws(CacheError) -> Method {
        let library = try library(params)
        let type = try params.resourceType(limits: limits)
        let after = try place(params, type: type, library: library)
        let limit = try params.integer("limit", in: 1...Method.pageCountMax).map { Int($0) }
        return .list(type: type, library: library, after: after, countMax: limit ?? Method.pageCountDefault)
    }
}
