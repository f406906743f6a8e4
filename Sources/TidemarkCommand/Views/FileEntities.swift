import TidemarkModel
import TidemarkSQLite
import TidemarkViews

/// The entities of one library that a view or a scope asks about, read from a database at one committed state.
///
/// Holds all entities of the view's types in memory. Whether a missing one was deleted is looked up when it is asked
/// for, so beside a writer that answer may be newer; it decides only what counts as missing.
final class FileEntities: ListableEntities {
    private let reader: CacheReader
    private let library: ByteString
    private let showsLayers: Bool
    /// The ids of each type, ascending by their bytes.
    private var ids: [ByteString: [ByteString]] = [:]
    private var resources: [ViewKey: [UInt8]] = [:]
    /// The first error of a later look into the database; the result is then worthless.
    private(set) var failure: Failure?

    /// Reads all entities of some types.
    ///
    /// - Parameter showsLayers: True to read entities with pending edits applied; false for the server's versions.
    /// - Complexity: O(entities of the library), or of the type if there is only one.
    init(_ reader: CacheReader, library: ByteString, types: [ByteString], showsLayers: Bool = true) throws(Failure) {
        self.reader = reader
        self.library = library
        self.showsLayers = showsLayers
        let wanted = Set(types)
        // One walk, so that all types are of the same committed state.
        let type = types.count == 1 ? types.first : nil
        try reader.forEach(library: library, type: type, showsLayers: showsLayers) { entity in
            guard wanted.contains(entity.key.type) else { return true }
            ids[entity.key.type, default: []].append(entity.key.id)
            resources[ViewKey(type: entity.key.type, id: entity.key.id)] = entity.payload
            return true
        }
        for type in ids.keys { ids[type]?.sort() }
    }

    func state(of key: ViewKey) -> ViewEntityState {
        if let resource = resources[key] { return .present(resource) }
        // Without layers nobody asks which entities may only be missing.
        guard showsLayers else { return .unknown }
        do throws(Failure) {
            let key = EntityKey(library: library, type: key.type, canonicalID: key.id)
            return try reader.answer(key).answer == .deleted ? .deleted : .unknown
        } catch {
            failure = failure ?? error
            return .unknown
        }
    }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        let all = ids[type] ?? []
        guard let id else { return Array(all.prefix(countMax)) }
        // The first id above the given one, by bisection.
        var bounds = 0..<all.count
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            bounds = all[middle] <= id ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return Array(all[bounds.lowerBound...].prefix(countMax))
    }
}
