import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// The entities that the rules of one scope read, as they were while they were copied.
struct CopiedEntities: ViewEntities, Sendable {
    /// Of each type, ascending by the ids.
    var ids: [ByteString: [ByteString]] = [:]
    var resources: [ViewKey: [UInt8]] = [:]

    func state(of key: ViewKey) -> ViewEntityState { resources[key].map { .present($0) } ?? .unknown }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        guard let all = ids[type] else { return [] }
        guard let id else { return Array(all.prefix(countMax)) }
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] <= id { low = middle + 1 } else { high = middle }
        }
        return Array(all[low...].prefix(countMax))
    }
}

/// For the person who writes rules: what the file has, and why a client sees an entity or not.
extension ScopeEngine {
    /// The most entities that one explanation reads: 1,000,000.
    private static let explainedCountMax = 1_000_000

    /// Explains the scopes of the file in use, by name.
    func explainers(in cache: isolated SyncCache) -> [(name: ByteString, explainer: ScopeExplainer)] {
        file.scopes.keys.sorted().compactMap { name in
            ScopeExplainer(name, of: file, types: cache.typeAliases).map { (name, $0) }
        }
    }

    /// Copies what an explanation reads, page by page, so that other work goes on.
    ///
    /// - Throws: ``CacheError`` `storageFailed`, or `limitExceeded` if the rules read too many entities.
    func copy(
        for explainer: ScopeExplainer, in cache: isolated SyncCache
    ) async throws(CacheError) -> CopiedEntities {
        var copied = CopiedEntities()
        let name = explainer.library ?? cache.configuration.defaultLibrary
        for type in explainer.typesRead.sorted() {
            guard let followed = libraries[name]?.followed[type] else { continue }
            var (last, isLast): (ByteString?, Bool) = (nil, false)
            while !isLast {
                do throws(StorageError) {
                    try await cache.withPage(of: followed.type, after: last, isOfBases: true) { entities, isEnd in
                        for entity in entities {
                            copied.ids[type, default: []].append(entity.id)
                            copied.resources[ViewKey(type: type, id: entity.id)] = entity.resource
                        }
                        last = entities.last?.id ?? last
                        isLast = isEnd
                    }
                } catch {
                    throw CacheError(.storageFailed, error.description)
                }
                guard copied.resources.count <= ScopeEngine.explainedCountMax else {
                    throw CacheError(
                        .limitExceeded,
                        "the rules read more than \(ScopeEngine.explainedCountMax) entities: use tidemark scope check")
                }
                await Task.yield()
            }
        }
        return copied
    }
}
