import TidemarkModel

/// The resource types of a cache by their small numbers: their names, their aliases, and the configuration's rules.
///
/// Bounded by `typeCountMax`.
struct ResourceTypes {
    /// The types that go by another name; both names as on the wire.
    private let aliases: [ByteString: ByteString]
    private var names: NameTable<TypeIndex>
    /// The type that was admitted last, under its name on the wire.
    private var last: (name: [UInt8], type: TypeIndex)?
    /// The configuration's rules for the types that had a number when they were resolved.
    private(set) var rules = TypeRules()
    private var ruledCount = 0

    init(recovered: [ByteString], aliases: [ByteString: ByteString], countMax: Int) {
        self.aliases = aliases
        names = NameTable(recovered: recovered, countMax: countMax)
    }

    var count: Int { names.names.count }

    /// The numbers of all types, ascending.
    var indexes: some RandomAccessCollection<TypeIndex> { names.names.indices.lazy.map { TypeIndex($0) } }

    /// Whether a number from a data file is one of a type.
    func contains(_ type: TypeIndex) -> Bool { Int(type) < names.names.count }

    /// Returns the name of a type, which is no alias.
    func name(of type: TypeIndex) -> ByteString { names[type] }

    /// Returns the name under which a type is stored.
    func ownName(of wireName: ByteString) -> ByteString {
        aliases.isEmpty ? wireName : aliases[wireName] ?? wireName
    }

    /// Returns the number of a type by its name on the wire; nil when it was never seen.
    func index(of wireName: ByteString) -> TypeIndex? { names.index(of: ownName(of: wireName)) }

    /// Returns the number of a type by a name that is no alias; nil when it was never seen.
    func index(ofOwnName name: ByteString) -> TypeIndex? { names.index(of: name) }

    /// The number of the type that was admitted last; 0 before the first.
    var lastIndex: TypeIndex { last?.type ?? 0 }

    /// Returns the number of a type if it was the last one admitted, under the same name on the wire.
    @inline(__always)
    func recent(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        guard let last, last.name.withUnsafeBytes({ JSONText.haveEqualBytes($0, name) }) else { return nil }
        return last.type
    }

    /// Returns the number of a type under its own name, for any alias; nil past `typeCountMax`.
    mutating func admit(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        let wireName = ByteString(name)
        guard let type = ownName(of: wireName).bytes.withUnsafeBytes({ names.admit($0) }) else { return nil }
        last = (wireName.bytes, type)
        return type
    }

    // MARK: Rules

    /// Whether the rules were not resolved for some type.
    var hasUnruled: Bool { ruledCount < names.names.count }

    /// Resolves the configuration's rules for the types that have a number.
    ///
    /// - Complexity: O(types).
    mutating func resolveRules(_ configuration: CacheStateConfiguration) {
        ruledCount = names.names.count
        rules = TypeRules(configuration, names: names.names)
    }

    // MARK: The journal

    /// Whether the journal lacks names.
    var hasNewNames: Bool { names.hasNew }

    /// Returns the names that were added since the last call.
    mutating func drainNewNames() -> [(index: TypeIndex, name: ByteString)] { names.drainNew() }

    /// Marks every name as unwritten, because the journal lost its data.
    mutating func markAllUnwritten() { names.markAllNew() }
}
