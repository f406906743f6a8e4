import TidemarkModel

/// The configuration's rules for types, by their numbers.
struct TypeRules {
    /// The types that are never evicted.
    private(set) var kept: Set<TypeIndex> = []
    /// The fields that stay when an entity is evicted, by their unescaped names; in types in `kept` all fields stay.
    private(set) var keptFields: [TypeIndex: Set<[UInt8]>] = [:]
    /// The types that no journal has.
    private(set) var unstored: Set<TypeIndex> = []
    /// The types that leave memory as soon as the journal has them.
    private(set) var memoryExcluded: Set<TypeIndex> = []

    /// The types whose events merge.
    private(set) var merged: Set<TypeIndex> = []

    init() {}

    /// - Parameter names: The names of types, by number; aliases were resolved.
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
