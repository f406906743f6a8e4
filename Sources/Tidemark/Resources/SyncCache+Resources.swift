import TidemarkJSON
import TidemarkModel

/// Reads with Swift types. Values are decoded where the function is called, and not on the cache's executor.
extension SyncCache {
    /// Reads an entity as a Swift value, optimistic edits included.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// let photo = try await cache.entity(Photo.self, id: "1", maxAges: ["photo": 3_600])
    /// print(photo?.name ?? "not stored, or older than an hour")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - maxAges: The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    ///   - maxStale: How long past its age limit a field is still accepted; nil for not at all.
    ///   - library: The library; nil for the default library.
    /// - Returns: nil when the entity is absent, deleted, expired or evicted; ``read(_:)`` returns the reason.
    /// - Throws: ``CacheError`` when the entity cannot be read, ``ResourceDecodingError`` when it does not match its
    ///   type.
    public nonisolated func entity<R: Resource>(
        _ type: R.Type, id: R.ID, maxAges: [String: Int] = [:], maxStale: Duration? = nil, library: String? = nil
    ) async throws -> R? {
        let read = try await read(request(key(type, id, library), maxAges, maxStale))
        guard let bytes = read.entity else { return nil }
        return try ResourceCoder().decode(type, bytes)
    }

    /// Returns a page of the entities of one type, in key order.
    ///
    /// ```swift
    /// var after: EntityKey?
    /// repeat {
    ///     let page = try await cache.entities(type: "photo", after: after, countMax: 100)
    ///     for case .unknown(_, let photo) in page.values { print(photo["name"]?.string ?? "") }
    ///     after = page.next
    /// } while after != nil
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - registry: The Swift types to decode to; resources of other types are returned as
    ///     ``/TidemarkJSON/JSONValue``.
    ///   - after: The ``ResourcePage/next`` of the previous page; nil for the first page.
    ///   - countMax: The largest number of entities. Default: 1,000.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``CacheError`` when the entities cannot be read, ``ResourceDecodingError`` when one does not match its
    ///   type.
    public nonisolated func entities(
        type: String, registry: ResourceRegistry = ResourceRegistry(), after: EntityKey? = nil, countMax: Int = 1_000,
        library: String? = nil
    ) async throws -> ResourcePage {
        let page = try await list(type: ByteString(type), library: named(library), after: after, countMax: countMax)
        var values: [RegisteredResource] = []
        for bytes in page.entities { values.append(try registry.decode(type: type, bytes)) }
        return ResourcePage(values: values, next: page.next)
    }

    /// Reads the list of a query.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// let photos = try await cache.query(
    ///     Photo.self, method: "photos.list", input: ["album": "7"], policy: .networkFirst)
    /// print(photos.items.map(\.name), photos.isStale)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type of the items.
    ///   - method: The method of the query.
    ///   - input: The input of the method. As canonical JSON it is a part of the query's key.
    ///   - policy: Where the answer may come from. For `cacheAndNetwork` this returns the first answer; observe the
    ///     query to get both.
    ///   - allowsStale: Whether a stale or expired list is accepted.
    ///   - maxStale: How long ago the list may have become stale to be still accepted; nil leaves the decision to
    ///     `allowsStale`.
    ///   - maxAges: The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``CacheError``, for example `.cacheMiss` under `cacheOnly`; ``ResourceDecodingError`` when an item
    ///   does not match its type; `CancellationError`.
    public nonisolated func query<R: Resource>(
        _ type: R.Type, method: String, input: some Encodable = JSONValue.object([]),
        policy: FetchPolicy = .cacheFirst, allowsStale: Bool = false, maxStale: Duration? = nil,
        maxAges: [String: Int] = [:], library: String? = nil
    ) async throws -> ResourceList<R> {
        var request = QueryRequest(try queryKey(method, input, library), policy: policy)
        request.allowsStale = allowsStale
        request.maxStale = maxStale
        request.maxAges = named(maxAges)
        let reply = OneShotReply<Result<QueryReply, CacheError>>()
        await read(request, observing: nil, reply: { reply.answer($0) }, later: { _ in })
        return try ResourceList(try await reply.value().get().answer)
    }

    /// Observes a query: its current list, then the list after every change.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    /// }
    /// let photos = try cache.observe(Photo.self, method: "photos.list", refreshes: true)
    /// for try await update in photos { print(update.items.count, update.changes.count, update.isStale) }
    /// ```
    ///
    /// Nothing is read before the sequence is iterated.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the items.
    ///   - method: The method of the query.
    ///   - input: The input of the method.
    ///   - policy: Where the first list may come from.
    ///   - allowsStale: Whether a stale or expired first list is accepted.
    ///   - maxAges: The observer's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the
    ///     policy's.
    ///   - refreshes: Whether to fetch the list again as soon as some of its data becomes too old. Without an upstream
    ///     to ask, the observer is notified that the list is stale instead.
    ///   - library: The library; nil for the default library.
    /// - Returns: A sequence of lists. Errors other than the one below are thrown while iterating.
    /// - Throws: ``CacheError`` `.invalidParams` when the input has no JSON form.
    public nonisolated func observe<R: Resource>(
        _ type: R.Type, method: String, input: some Encodable = JSONValue.object([]),
        policy: FetchPolicy = .cacheFirst, allowsStale: Bool = false, maxAges: [String: Int] = [:],
        refreshes: Bool = false, library: String? = nil
    ) throws(CacheError) -> QueryObservation<R> {
        var request = QueryRequest(try queryKey(method, input, library), policy: policy)
        request.allowsStale = allowsStale
        request.maxAges = named(maxAges)
        request.refreshes = refreshes
        return QueryObservation(request, of: self)
    }

    /// Observes an entity: its current state, then its state after every change.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    /// }
    /// for try await update in cache.observe(Photo.self, id: "1") {
    ///     print(update.value == nil ? "gone" : "changed", update.changedFields)
    /// }
    /// ```
    ///
    /// Nothing is read before the sequence is iterated.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the entity.
    ///   - id: The id of the entity.
    ///   - maxAges: The observer's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the
    ///     policy's.
    ///   - maxStale: How long past its age limit a field is accepted in the first answer; nil for not at all.
    ///   - refreshes: Whether to notify the observer as soon as the first field becomes too old.
    ///   - library: The library; nil for the default library.
    /// - Returns: A sequence of states. Errors are thrown while iterating.
    public nonisolated func observe<R: Resource>(
        _ type: R.Type, id: R.ID, maxAges: [String: Int] = [:], maxStale: Duration? = nil, refreshes: Bool = false,
        library: String? = nil
    ) -> EntityObservation<R> {
        var request = request(key(type, id, library), maxAges, maxStale)
        request.refreshes = refreshes
        return EntityObservation(request, of: self)
    }

    private nonisolated func request(
        _ key: EntityKey, _ maxAges: [String: Int], _ maxStale: Duration?
    ) -> EntityRequest {
        var request = EntityRequest(key)
        request.maxAges = named(maxAges)
        request.maxStale = maxStale
        return request
    }

    // MARK: Names

    private nonisolated func named(_ ages: [String: Int]) -> [ByteString: Int] {
        Dictionary(uniqueKeysWithValues: ages.map { (ByteString($0.key), $0.value) })
    }

    nonisolated func named(_ library: String?) -> ByteString {
        library.map { ByteString($0) } ?? configuration.defaultLibrary
    }

    nonisolated func key<R: Resource>(_ type: R.Type, _ id: R.ID, _ library: String?) -> EntityKey {
        EntityKey(library: named(library), type: ByteString(R.resourceType), id: ByteString(id.keyText))
    }

    nonisolated func queryKey(
        _ method: String, _ input: some Encodable, _ library: String?
    ) throws(CacheError) -> QueryKey {
        try QueryKey(library: named(library), method: ByteString(method), input: try ResourceCoder().encode(input))
    }
}
