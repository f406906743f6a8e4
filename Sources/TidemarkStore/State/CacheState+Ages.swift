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
        let type = typeNames.names[Int(stored.type)]
        let limits = AgeLimits(policy: configuration.policy, operation: ages, type: type)
        let index = withIdentity(stored) { entities.find($0) }
        let layered = isLayered(stored) ? queries.keys.handle(of: stored) : nil
        let dates = layered.map { layers.dates(over: $0) }
        var worst: ExpiredField?
        func look(at resource: UnsafeRawBufferPointer) {
            let stamps = index.flatMap { entities.fieldStamps[$0] }
            let whole = index.map { entities.stamp(of: $0).writtenAt }
            limits.forEachLimit(of: resource, fields: fields) { field, maxAge in
                let base = stamps?[field].writtenAt ?? whole
                guard let writtenAt = dates?.date(of: field, base: base) ?? base else { return }
                // Before it was written is no time to be read: the clock that says so is wrong.
                let overdue = max(now - writtenAt, 0) - Int64(maxAge) * 1_000
                if overdue >= 0, worst.map({ overdue > $0.overdue }) ?? true {
                    worst = ExpiredField(
                        key: key, field: field, writtenAt: writtenAt, maxAge: maxAge, overdue: overdue)
                }
            }
        }
        if let layered {
            layers.overlays[layered]?.visible?.withUnsafeBytes(look)
        } else if let index {
            look(at: entities.payload(of: index))
        }
        return worst
    }
}
