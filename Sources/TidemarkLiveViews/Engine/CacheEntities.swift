import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// The visible entities of a library, in one step of the cache.
struct CacheEntities: ViewEntities {
    private let cache: SyncCache
    private let library: ViewLibrary

    init(_ library: ViewLibrary, in cache: isolated SyncCache) {
        self.cache = cache
        self.library = library
    }

    func state(of key: ViewKey) -> ViewEntityState {
        // A view only reads types that it follows.
        guard let type = library.followed[key.type]?.type else { return .unknown }
        // A step is made on the cache's actor alone.
        let presence = cache.assumeIsolated { $0.presence(of: key.id, type) }
        if let presence {
            if !library.lost.isEmpty { library.lost.remove(key) }
            return ViewEntityState(presence)
        }
        if !library.lost.contains(key) { library.unreadable.insert(key) }
        return .unknown
    }
}
