import TidemarkModel

/// Requests that would leave an entity larger than it may be. They are refused whole, before anything changes.
///
/// - Source: Protocol/limits.md, the size of an entity.
extension CacheState {
    /// The first of several resources with which its entity would be too large, were they merged in one by one.
    ///
    /// - Parameters:
    ///   - keys: That the resources go by.
    ///   - bases: What is going to be stored under some keys before the first resource comes.
    ///   - resource: By its place: a compact JSON object.
    /// - Returns: Its place; nil when all fit.
    /// - Complexity: O(resources), and for each entity that may be too large O(resources + bytes). One merged entity is in
    ///   memory at a time.
    func firstOversized(
        _ keys: [StoredKey], bases: [StoredKey: [UInt8]] = [:], _ resource: (Int) -> [UInt8]
    ) -> Int? {
        // A merge is never longer than its two sides together, so most keys are done with by adding up.
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

    /// Bytes that all layers together may have.
    var layerByteCountMax: Int { min(configuration.limits.layerByteCountMax, Limits.layerByteCountCeiling) }

    /// The first change of a layer that would show an entity that is too large.
    ///
    /// - Returns: Its place; nil when all fit.
    /// - Complexity: O(1) when all fit into anything that is seen; else as ``firstOversized(_:bases:_:)``.
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

    /// Whether layers would take more than a journal can hold of them once temporary ids became real ones.
    ///
    /// A commit cannot wait for others to settle: so ids may take layers past their bound, up to twice of it.
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

    /// Looks at everything of a confirmation that could be too large.
    func checkSizes(
        of confirmation: LayerConfirmation, _ resources: [(key: StoredKey, resource: [UInt8])],
        in library: LibraryIndex
    ) throws(LayerRefusal) {
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

    func tooLarge(_ key: StoredKey, step: Int?) -> LayerRefusal {
        .tooLarge(
            step: step, type: typeNames.names[Int(key.type)], id: key.id.text, byteCountMax: entityByteCountMax)
    }
}
