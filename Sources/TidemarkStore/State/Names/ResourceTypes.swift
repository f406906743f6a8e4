import TidemarkJSON
import TidemarkModel

/// The resource types of a cache: their indexes, names and aliases, and the configuration's rules for them.
///
/// `typeCountMax` bounds them.
struct ResourceTypes {
    /// The types that the cache stores under another name: the other name by the type, both as on the wire.
    private let aliases: [ByteString: ByteString]
    private var names: NameTable<TypeIndex>
    /// The type that was admitted last, with its name on the wire.
    private var last: (name: [UInt8], type: TypeIndex)?
    /// The configuration's rules for the types that had an index when the rules were last resolved.
    private(set) var rules = TypeRules()
    private var ruledCount = 0

    init(recovered: [ByteString], aliases: [ByteString: ByteString], countMax: Int) {
        self.aliases = aliases
        names = NameTable(recovered: recovered, countMax: countMax)
    }

    var count: Int { names.names.count }

    /// The indexes of all types, ascending.
    var indexes: some RandomAccessCollection<TypeIndex> { names.names.indices.lazy.map { TypeIndex($0) } }

    /// Returns true if an index from a data file belongs to a type.
    func contains(_ type: TypeIndex) -> Bool { Int(type) < names.names.count }

    /// Returns the cache's own name of a type, which is never an alias.
    func name(of type: TypeIndex) -> ByteString { names[type] }

    /// Returns the cache's own name for a type's name on the wire.
    func ownName(of wireName: ByteString) -> ByteString {
        aliases.isEmpty ? wireName : aliases[wireName] ?? wireName
    }

    /// Returns the index of a type by its name on the wire; nil if it is unknown.
    func index(of wireName: ByteString) -> TypeIndex? { names.index(of: ownName(of: wireName)) }

    /// Returns the index of a type by the cache's own name; nil if it is unknown.
    func index(ofOwnName name: ByteString) -> TypeIndex? { names.index(of: name) }

    /// The index of the type that was admitted last; 0 before the first.
    var lastIndex: TypeIndex { last?.type ?? 0 }

    /// Returns the index of a type if it was the last one admitted, under the same name; nil otherwise.
    @inline(__always)
    func recent(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        guard let last, last.name.withUnsafeBytes({ JSONText.haveEqualBytes($0, name) }) else { return nil }
        return last.type
    }

    /// Returns the index of a type by any of its names; assigns one to a new type. nil past `typeCountMax`.
    mutating func admit(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        let wireName = ByteString(name)
        guard let type = ownName(of: wireName).bytes.withUnsafeBytes({ names.admit($0) }) else { return nil }
        last = (wireName.bytes, type)
        return type
    }

    // MARK: Rules

    /// True if the rules were not resolved for some type yet.
    var hasUnruled: Bool { ruledCount < names.names.count }

    /// Resolves the configuration's rules for all types that have an index.
    ///
    /// - Complexity: O(types).
    mutating func resolveRules(_ configuration: CacheStateConfiguration) {
        ruledCount = names.names.count
        rules = TypeRules(configuration, names: names.names)
    }

    // MARK: The journal

    /// True if the journal lacks some names.
    var hasNewNames: Bool { names.hasNew }

    /// Returns the names that were added since the last call.
    mutating func drainNewNames() -> [(index: TypeIndex, name: ByteString)] { names.drainNew() }

    /// Marks every name as unwritten, because the journal lost its data.
    mutating func markAllUnwritten() { names.markAllNew() }
}
