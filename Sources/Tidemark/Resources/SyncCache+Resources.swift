import TidemarkModel

/// Reads with Swift types. Values are decoded where the function is called, not on the cache's executor.
extension SyncCache {
    /// Reads an entity as a Swift value, optimistic edits included.
    ///
    /// ```swift
    /// let photo = try await cache.entity(Photo.self, id: "1")
    /// ```
    ///
    /// - Parameters:
    ///   - maxAges: The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    ///   - maxStale: The time past its age limit for which a field is still accepted; nil: none.
    ///   - library: The library; nil: the default library.
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

    /// Returns entities of one type, in key order.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - registry: The known Swift types; resources of other types come as ``JSONValue``.
    ///   - after: The `next` of the last page; nil: the first page.
    ///   - countMax: The largest number of entities: 1,000.
    ///   - library: The library; nil: the default library.
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

    /// Reads a query's list.
    ///
    /// ```swift
    /// let photos = try await cache.query(
    ///     Photo.self, method: "photos.list", input: ["album": "7"], policy: .networkFirst)
    /// print(photos.items.count, photos.isStale)
    /// ```
    ///
    /// - Parameters:
    ///   - input: The input of the method; as JSON with sorted members it is part of the query's key.
    ///   - policy: The sources of the answer. For `cacheAndNetwork` this returns the first answer; observe to get both.
    ///   - allowsStale: Whether a stale or expired list is accepted.
    ///   - maxStale: The time past its age limit for which a stale list is accepted.
    ///   - maxAges: The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    ///   - library: The library; nil: the default library.
    /// - Throws: ``CacheError``, among others `.cacheMiss` under `cacheOnly`; ``ResourceDecodingError`` when an item
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

    /// Observes a query: its current list, followed by the list after every change.
    ///
    /// - Parameters:
    ///   - input: The input of the method.
    ///   - policy: The sources of the first list.
    ///   - allowsStale: Whether a stale or expired first list is accepted.
    ///   - maxAges: The observer's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the
    ///     policy's.
    ///   - refreshes: Whether the list is fetched again when the first of its data becomes too old; without an upstream
    ///     that can be asked, the observer is notified that the list is stale.
    ///   - library: The library; nil: the default library.
    /// - Throws: ``CacheError`` `.invalidParams` when the input has no JSON form. Other errors are thrown while
    ///   iterating.
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

    /// Observes an entity: its current state, followed by its state after every change.
    ///
    /// - Parameters:
    ///   - maxAges: The observer's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the
    ///     policy's.
    ///   - maxStale: The time past its age limit for which a field is accepted in the first answer.
    ///   - refreshes: Whether the observer is notified when the first field becomes too old.
    ///   - library: The library; nil: the default library.
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
