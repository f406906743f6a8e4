import TidemarkModel

/// The configuration's rules for types, by their indexes.
struct TypeRules {
    /// The types whose entities are never evicted.
    private(set) var kept: Set<TypeIndex> = []
    /// The unescaped names of fields that stay when an entity is evicted. Types in `kept` have none: all of their
    /// fields stay.
    private(set) var keptFields: [TypeIndex: Set<[UInt8]>] = [:]
    /// The types that are never stored in the journal.
    private(set) var unstored: Set<TypeIndex> = []
    /// The types whose entities leave memory as soon as the journal has them.
    private(set) var memoryExcluded: Set<TypeIndex> = []

    /// The types whose events merge into the entity instead of replacing it.
    private(set) var merged: Set<TypeIndex> = []

    init() {}

    /// Resolves the rules of a configuration.
    ///
    /// - Parameter names: The cache's own names of types, in the order of their indexes.
    init(_ configuration: CacheStateConfiguration, names: [ByteString]) {
        guard configuration.namesTypes else { return }
        func resolved(_ types: Set<ByteString>) -> Set<ByteString> {
            Set(types.map { configuration.typeAliases[$0] ?? $0 })
        }
        let kept = resolved(configuration.keptTypes)
        let unstored = resolved(configuration.diskExcludedTypes)
        let memoryExcluded = resolved(configuration.memoryExcludedTypes)
        var fields: [ByteString: Set<[UInt8]>] = [:]
        for (type, names) in configuration.keptFields {
            fields[configuration.typeAliases[type] ?? type, default: []].formUnion(names.map(\.bytes))
        }
        let merged = resolved(configuration.mergedTypes)
        for (number, name) in names.enumerated() {
            let type = TypeIndex(number)
            if kept.contains(name) { self.kept.insert(type) }
            if let names = fields[name], !names.isEmpty, !kept.contains(name) { keptFields[type] = names }
            if unstored.contains(name) { self.unstored.insert(type) }
            if memoryExcluded.contains(name) { self.memoryExcluded.insert(type) }
            if merged.contains(name) { self.merged.insert(type) }
        }
    }
}
