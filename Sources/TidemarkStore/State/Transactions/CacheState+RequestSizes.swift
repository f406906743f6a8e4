import TidemarkModel

/// Refuses requests that would make an entity too large, as a whole and before anything changes.
///
/// - Source: Protocol/limits.md, the size of an entity.
extension CacheState {
    /// Returns the index of the first of several resources that would make its entity too large, if they are merged one
    /// by one.
    ///
    /// - Parameters:
    ///   - keys: The keys of the resources.
    ///   - bases: The resources that will be stored under some keys before the first one is merged.
    ///   - resource: Returns the resource at an index: a compact JSON object.
    /// - Returns: The index of the resource; nil if all fit.
    /// - Complexity: O(resources), plus O(resources + bytes) for each entity that may be too large. One merged entity
    ///   is in memory at a time.
    func firstOversized(
        _ keys: [StoredKey], bases: [StoredKey: [UInt8]] = [:], _ resource: (Int) -> [UInt8]
    ) -> Int? {
        // A merge is never longer than its two sides together, so adding up sizes clears most keys.
        var bounds: [StoredKey: Int] = [:]
        for (place, key) in keys.enumerated() {
            let before = bounds[key] ?? bases[key]?.count ?? storedByteCount(key)
            bounds[key] = before + resource(place).count
        }
        var first: Int?
        for (key, bound) in bounds where bound > entityByteCountMax {
            var value = bases[key] ?? storedResource(key)
            for (place, own) in keys.enumerated() where own == key && place < first ?? .max {
                let incoming = resource(place)
                value =
                    value.map { base in
                        base.withUnsafeBytes { base in
                            incoming.withUnsafeBytes { Merge.assigned($0, into: base) }
                        }
                    } ?? incoming
                if value?.count ?? 0 > entityByteCountMax { first = place }
            }
        }
        return first
    }

    private func storedByteCount(_ key: StoredKey) -> Int {
        withIdentity(key) { entities.find($0) }.map { entities.payload(of: $0).count } ?? 0
    }

    // MARK: Layers

    /// The most bytes that all layers together may have.
    var layerByteCountMax: Int { min(configuration.limits.layerByteCountMax, Limits.layerByteCountCeiling) }

    /// Returns the index of the first change in a layer that would show an entity that is too large.
    ///
    /// - Returns: The index of the change; nil if all fit.
    /// - Complexity: O(1) if all fit into any visible entity; otherwise that of ``firstOversized(_:bases:_:)``.
    func firstOversized(_ layer: Layer) -> Int? {
        if fitsAnywhere(layers.byteCount + layer.byteCount) { return nil }
        var bounds: [StoredKey: Int] = [:]
        for change in layer.changes {
            let before = bounds[change.key] ?? visibleResource(change.key)?.count ?? 0
            bounds[change.key] = before + change.byteCount
        }
        var first: Int?
        for (key, bound) in bounds where bound > entityByteCountMax {
            var value = visibleResource(key)
            for (place, change) in layer.changes.enumerated() where change.key == key && place < first ?? .max {
                value = LayerFold.apply(change, to: value)
                if value?.count ?? 0 > entityByteCountMax { first = place }
            }
        }
        return first
    }

    /// Returns true if layers would take more bytes than a journal can store, once real ids replace temporary ones.
    ///
    /// A commit cannot wait for other layers to settle. So real ids may take layers past their bound, up to twice the
    /// bound.
    ///
    /// - Complexity: O(ids · types).
    func wouldOverfillLayers(_ ids: [LayerConfirmation.RealID], in library: LibraryIndex) -> Bool {
        var byteCount = layers.byteCount
        for id in ids {
            for type in typesNaming(id.temporary, in: library) {
                let key = StoredKey(library: library, type: type, id: StoredID(id.temporary))
                let touchCount = queries.keys.handle(of: key).flatMap { layers.overlays[$0]?.touches.count } ?? 0
                byteCount += touchCount * (id.real.bytes.count + id.json.count)
            }
        }
        return byteCount > layers.byteCount && byteCount > 2 * layerByteCountMax
    }

    /// Refuses a confirmation with a part that is too large.
    func checkSizes(
        of confirmation: LayerConfirmation, _ resources: [(key: StoredKey, resource: [UInt8])],
        in library: LibraryIndex
    ) throws(LayerError) {
        if wouldOverfillLayers(confirmation.realIDs, in: library) { throw .tooManyBytes }
        var bases: [StoredKey: [UInt8]] = [:]
        for id in confirmation.realIDs where StoredID(id.temporary) != StoredID(id.real) {
            for type in typesNaming(id.temporary, in: library) {
                let real = StoredKey(library: library, type: type, id: StoredID(id.real))
                guard let base = renamedBase(id, type: type, in: library) else { continue }
                guard base.count <= entityByteCountMax else { throw tooLarge(real, step: nil) }
                bases[real] = base
            }
        }
        let byteCount = resources.reduce(0) { $0 + $1.resource.count }
        if bases.isEmpty, fitsAnywhere(byteCount) { return }
        let place = firstOversized(resources.map(\.key), bases: bases) { resources[$0].resource }
        if let place { throw tooLarge(resources[place].key, step: place) }
    }

    func tooLarge(_ key: StoredKey, step: Int?) -> LayerError {
        .tooLarge(
            step: step, type: types.name(of: key.type), id: key.id.text, byteCountMax: entityByteCountMax)
    }
}
