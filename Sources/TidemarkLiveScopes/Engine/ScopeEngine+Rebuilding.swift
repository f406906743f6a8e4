import Logging
import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// Evaluating everything anew, because what it was evaluated from is not known any more: entities that only the journal
/// had are gone, or could not be read in the middle of a step.
extension ScopeEngine {
    /// Begins to evaluate a library anew. Logs go on with their names and numbers; every entity in them counts as
    /// changed, and readers are sent the difference afterwards.
    func rebuild(_ library: ScopeLibrary, in cache: isolated SyncCache) {
        guard !library.isRebuilding else { return }
        library.isRebuilding = true
        cache.spawn { await self.rebuildAll(of: library, in: cache) }
    }

    private func rebuildAll(of library: ScopeLibrary, in cache: isolated SyncCache) async {
        await beginFilling(library, in: cache)
        var pause: Int64 = 100
        repeat {
            do throws(CacheError) {
                let keys = library.unreadable
                restart(library, in: cache)
                try await load(keys, of: library, in: cache)
                try await fillSteps(nil, of: library, in: cache)
                for scope in library.all where !scope.isRetired {
                    try await fillSteps(scope, of: library, in: cache)
                }
            } catch {
                cache.configuration.logger.error("the scopes of \(library.name) are not served for now: \(error)")
                library.isLost = true
                do { try await cache.pause(milliseconds: pause) } catch { break }
                pause = min(pause * 2, 10_000)
            }
        } while library.isLost || !library.unreadable.isEmpty
        library.isRebuilding = false
        endFilling(library)
        let waiters = library.rebuildWaiters
        library.rebuildWaiters = []
        for waiter in waiters { waiter.resume() }
        for scope in library.all {
            deliver(scope.handle, of: library, in: cache)
            letGo(scope, in: cache)
        }
    }

    /// Begins a new set with the logs of the present one.
    private func restart(_ library: ScopeLibrary, in cache: isolated SyncCache) {
        library.isLost = false
        library.unreadable = []
        library.changes = []
        let part = file.part(of: library.name, defaultLibrary: cache.configuration.defaultLibrary)
        var new = ScopeSet(part, secret, types: cache.typeAliases, limits: limits)
        new.isStale = library.scopes.isStale
        for scope in library.all {
            for id in scope.streamIDs {
                if let stream = streams[id] { library.scopes.interrupt(&stream.reader, in: scope.handle) }
            }
        }
        for scope in library.all {
            guard !scope.isRetired else {
                // What its readers still had to be told is not known any more. They ask again, and are told so then.
                for id in scope.streamIDs.sorted() { end(stream: id, nil, in: cache) }
                library.remove(scope)
                continue
            }
            let image = library.scopes.release(scope.handle, ScopeEntities(library, in: cache))
            do throws(ScopeRequestError) {
                let handle = try new.open(scope.name, scope.parameters, restoring: image?.withoutChecksums)
                library.move(scope, to: handle)
            } catch {
                preconditionFailure("a scope that was open is refused: \(error)")
            }
        }
        library.unreadable = []
        library.scopes = new
    }

    /// Loads entities that could not be read in the middle of a step. Those of damaged rows are lost.
    private func load(
        _ keys: Set<ViewKey>, of library: ScopeLibrary, in cache: isolated SyncCache
    ) async throws(CacheError) {
        let keys = keys.filter { library.followed[$0.type] != nil }.sorted { ($0.type, $0.id) < ($1.type, $1.id) }
        let entities = keys.compactMap { key in library.followed[key.type].map { (type: $0.type, id: key.id) } }
        for place in try await cache.load(entities) {
            let (type, id) = entities[place]
            if cache.basePresence(of: id, type) == nil { library.lost.insert(keys[place]) }
        }
    }
}
