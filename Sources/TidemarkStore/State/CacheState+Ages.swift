import TidemarkModel

/// How old what is read may be.
extension CacheState {
    /// The selected field that is longest past its age, of an entity as readers see it; nil when none is.
    ///
    /// A field is too old when its age has reached its limit. Every write of a field renews its age, a layer's too.
    ///
    /// - Parameter fields: nil: all.
    /// - Precondition: The entity is in memory if it is anywhere.
    /// - Complexity: O(resource) when there is a policy, or the read brings ages of its own.
    package func expired(
        _ key: EntityKey, fields: Set<[UInt8]>?, ages: OperationAges, at now: Int64
    ) -> ExpiredField? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty, let stored = storedKey(of: key) else { return nil }
        var worst: ExpiredField?
        forEachLimit(of: stored, fields: fields, ages: ages) { field, writtenAt, maxAge in
            // Before it was written is no time to be read: the clock that says so is wrong.
            let overdue = max(now - writtenAt, 0) - Int64(maxAge) * 1_000
            if overdue >= 0, worst.map({ overdue > $0.overdue }) ?? true {
                worst = ExpiredField(key: key, field: field, writtenAt: writtenAt, maxAge: maxAge, overdue: overdue)
            }
        }
        return worst
    }

    /// When the first selected field of an observed entity becomes too old, as readers see it; nil when none ever does.
    ///
    /// - Complexity: As ``expired(_:fields:ages:at:)``.
    package func expiry(ofEntity handle: UInt32, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return nil }
        var first: Int64?
        forEachLimit(of: queries.keys.key(of: handle), fields: fields, ages: ages) { _, writtenAt, maxAge in
            first = min(first ?? .max, writtenAt + Int64(maxAge) * 1_000)
        }
        return first
    }

    /// When the first of what an observed list shows becomes too old, or the list itself by its own time; nil when nothing
    /// ever does.
    ///
    /// - Complexity: O(list) times that of an entity.
    package func expiry(ofList query: UInt32, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard queries[query].isStored else { return nil }
        var first = queries[query].timeToLive.map { queries[query].storedAt + $0 }
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return first }
        for handle in shownHandles(of: query) {
            guard let moment = expiry(ofEntity: handle, fields: fields, ages: ages) else { continue }
            first = min(first ?? .max, moment)
        }
        return first
    }

    /// Whether a query is evaluated over the store: there is nobody who knows better.
    package func isLocal(_ query: UInt32) -> Bool { queries[query].isLocal }

    /// The limits of an entity's top-level fields as it is stored, without layers.
    ///
    /// - Precondition: It is in memory if it is anywhere.
    package func limits(of key: EntityKey, ages: OperationAges) -> [ByteString: AgeLimit] {
        guard let stored = storedKey(of: key), let index = withIdentity(stored, { entities.find($0) }) else {
            return [:]
        }
        let type = typeNames.names[Int(stored.type)]
        var limits: [ByteString: AgeLimit] = [:]
        AgeLimits(policy: configuration.policy, operation: ages, type: type)
            .forEachLimit(of: entities.payload(of: index), fields: nil) { limits[$0] = $1 }
        return limits
    }

    /// Calls `body` with each field that has a limit, when it was written, and the limit in seconds.
    private func forEachLimit(
        of stored: StoredKey, fields: Set<[UInt8]>?, ages: OperationAges, _ body: (ByteString, Int64, Int) -> Void
    ) {
        let type = typeNames.names[Int(stored.type)]
        let limits = AgeLimits(policy: configuration.policy, operation: ages, type: type)
        let index = withIdentity(stored) { entities.find($0) }
        let layered = isLayered(stored) ? queries.keys.handle(of: stored) : nil
        let dates = layered.map { layers.dates(over: $0) }
        func look(at resource: UnsafeRawBufferPointer) {
            let stamps = index.flatMap { entities.fieldStamps[$0] }
            let whole = index.map { entities.stamp(of: $0).writtenAt }
            limits.forEachLimit(of: resource, fields: fields) { field, limit in
                let base = stamps?[field].writtenAt ?? whole
                guard let writtenAt = dates?.date(of: field, base: base) ?? base, let seconds = limit.seconds else {
                    return
                }
                body(field, writtenAt, seconds)
            }
        }
        if let layered {
            layers.overlays[layered]?.visible?.withUnsafeBytes(look)
        } else if let index {
            look(at: entities.payload(of: index))
        }
    }
}
