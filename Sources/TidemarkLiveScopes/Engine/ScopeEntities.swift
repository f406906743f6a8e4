import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// The server's entities of a library, without pending edits, in one step of the cache.
struct ScopeEntities: ViewEntities {
    private let cache: SyncCache
    private let library: ScopeLibrary

    init(_ library: ScopeLibrary, in cache: isolated SyncCache) {
        self.cache = cache
        self.library = library
    }

    func state(of key: ViewKey) -> ViewEntityState {
        // A rule only reads types that are followed.
        guard let type = library.followed[key.type]?.type else { return .unknown }
        // A step is made on the cache's actor alone.
        let presence = cache.assumeIsolated { $0.basePresence(of: key.id, type) }
        if let presence {
            if !library.lost.isEmpty { library.lost.remove(key) }
            return ViewEntityState(presence)
        }
        if !library.lost.contains(key) { library.unreadable.insert(key) }
        return .unknown
    }
}
