import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

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
                        copied.add(entities, of: type)
                        last = entities.last?.id ?? last
                        isLast = isEnd
                    }
                } catch {
                    throw CacheError(.storageFailed, error.description)
                }
                guard copied.count <= ScopeEngine.explainedCountMax else {
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
