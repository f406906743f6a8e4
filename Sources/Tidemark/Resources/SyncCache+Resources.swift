import TidemarkModel

/// Reading with Swift types. Everything here is decoded where it is called, not on the cache's executor.
extension SyncCache {
    /// An entity as a Swift value, optimistic edits included.
    ///
    /// ```swift
    /// let photo = try await cache.entity(Photo.self, id: "1")
    /// ```
    ///
    /// - Parameters:
    ///   - maxAges: The read's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before the policy's.
    ///   - maxStale: How long past its age a field is good enough; nil: not at all.
    ///   - library: nil: the default library.
    /// - Returns: nil when it is absent, deleted, expired or evicted; ``read(_:)`` says which.
    /// - Throws: ``CacheError`` when it cannot be read, ``ResourceDecodingError`` when it is not what its type says.
    public nonisolated func entity<R: Resource>(
        _ type: R.Type, id: R.ID, maxAges: [String: Int] = [:], maxStale: Duration? = nil, library: String? = nil
    ) async throws -> R? {
        let read = try await read(request(key(type, id, library), maxAges, maxStale))
        guard let bytes = read.entity else { return nil }
        return try ResourceCoder().decode(type, bytes)
    }

    /// Entities of one type, in key order.
    ///
    /// - Parameters:
    ///   - type: On the wire.
    ///   - registry: Which Swift types there are; without one everything comes as ``JSONValue``.
    ///   - after: Where the last page said to go on; nil begins.
    ///   - countMax: Entities at most: 1,000.
    ///   - library: nil: the default library.
    /// - Throws: ``CacheError`` when they cannot be read, ``ResourceDecodingError`` when one is not what its type says.
    public nonisolated func entities(
        type: String, registry: ResourceRegistry = ResourceRegistry(), after: EntityKey? = nil, countMax: Int = 1_000,
        library: String? = nil
    ) async throws -> ResourcePage {
        let page = try await list(type: ByteString(type), library: named(library), after: after, countMax: countMax)
        var values: [RegisteredResource] = []
        for bytes in page.entities { values.append(try registry.decode(type: type, bytes)) }
        return ResourcePage(values: values, next: page.next)
    }

    /// A query's list.
    ///
    /// ```swift
    /// let photos = try await cache.query(
    ///     Photo.self, method: "photos.list", input: ["album": "7"], policy: .networkFirst)
    /// print(photos.items.count, photos.isStale)
    /// ```
    ///
    /// - Parameters:
    ///   - input: What the method takes; written as JSON, its members sorted, it is part of the query's identity.
    ///   - policy: Where to look. Of `cacheAndNetwork` this gives the first answer; observe for both.
    ///   - allowsStale: A stale or expired list is good enough.
    ///   - maxStale: How long past its age a stale list is good enough.
    ///   - maxAges: The read's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before the policy's.
    ///   - library: nil: the default library.
    /// - Throws: ``CacheError``, among others `.cacheMiss` under `cacheOnly`; ``ResourceDecodingError`` when
    ///   an item is not what its type says; `CancellationError`.
    public nonisolated func query<R: Resource>(
        _ type: R.Type, method: String, input: some Encodable = JSONValue.object([]),
        policy: FetchPolicy = .cacheFirst, allowsStale: Bool = false, maxStale: Duration? = nil,
        maxAges: [String: Int] = [:], library: String? = nil
    ) async throws -> ResourceList<R> {
        var request = QueryRequest(try queryKey(method, input, library), policy: policy)
        request.allowsStale = allowsStale
        request.maxStale = maxStale?.wholeMilliseconds
        request.maxAges = named(maxAges)
        let reply = OneReply<Result<QueryReply, CacheError>>()
        await read(request, observing: nil, reply: { reply.give($0) }, later: { _ in })
        return try ResourceList(try await reply.value().get().answer)
    }

    /// A query's list now, and after every change.
    ///
    /// - Parameters:
    ///   - input: What the method takes.
    ///   - policy: Where the first list comes from.
    ///   - allowsStale: A stale or expired list is good enough to begin with.
    ///   - maxAges: The observer's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before the policy's.
    ///   - refreshes: Fetch the list when the first of what is seen becomes too old, or say that it is stale where nobody can be
    ///     asked.
    ///   - library: nil: the default library.
    /// - Throws: ``CacheError`` `.invalidParams` when the input has no JSON form. What else can fail, does when iterating.
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

    /// An entity now, and after every change.
    ///
    /// - Parameters:
    ///   - maxAges: The observer's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before the policy's.
    ///   - maxStale: How long past its age a field is good enough to begin with.
    ///   - refreshes: Say when the first field becomes too old.
    ///   - library: nil: the default library.
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
        request.maxStale = maxStale?.wholeMilliseconds
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
