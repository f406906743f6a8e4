import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// Another file while clients are connected.
extension ScopeEngine {
    /// Replaces the file. Scopes that it defines as before go on. Readers of those that it defines in another way are
    /// sent a state of the new scope; those of scopes that it does not have are told that everything left.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if its rules name too many types; the former file then stays.
    func replace(_ new: ScopeFile, in cache: isolated SyncCache) throws(CacheError) {
        let standard = cache.configuration.defaultLibrary
        let begun = try follow(new, in: cache)
        file = new
        let former = libraries.values.sorted { $0.name < $1.name }
        for library in begun { libraries[library.name] = library }
        for library in former {
            let part = new.part(of: library.name, defaultLibrary: standard)
            let (changed, gone) = library.scopes.replace(
                part, now: second(in: cache), ScopeEntities(library, in: cache))
            library.unfollow(allBut: part, in: cache)
            for handle in gone { retire(handle, of: library, in: cache) }
            for handle in gone { deliver(handle, of: library, in: cache) }
            for handle in changed {
                guard let scope = retire(handle, of: library, in: cache) else { continue }
                for id in scope.streamIDs {
                    streams[id]?.drop()
                    streams[id]?.stream.drop()
                    waiting.remove(id)
                }
                cache.spawn { await self.reopen(scope, in: cache) }
            }
            if !library.unreadable.isEmpty { rebuild(library, in: cache) }
        }
        cache.spawn { await self.prepare(in: cache) }
    }

    @discardableResult
    private func retire(
        _ handle: ScopeHandle, of library: ScopeLibrary, in cache: isolated SyncCache
    ) -> ServedScope? {
        guard let scope = library.scope(handle) else { return nil }
        library.retire(scope)
        forgetLog(of: scope, in: cache)
        letGo(scope, in: cache)
        return scope
    }

    /// Gives the readers of a scope that is defined in another way the new one.
    private func reopen(_ scope: ServedScope, in cache: isolated SyncCache) async {
        for id in scope.streamIDs.sorted() {
            guard let request = streams[id]?.request else { continue }
            do throws(ScopeRefusal) {
                let new = try await begin(request, in: cache)
                move(stream: id, from: scope, to: new, in: cache)
                finish(new, in: cache)
            } catch {
                // A reader whose parameters the new file refuses is told below that everything left.
                if case .request = error { continue }
                end(stream: id, nil, in: cache)
            }
        }
        guard !scope.streamIDs.isEmpty else { return letGo(scope, in: cache) }
        let library = scope.library
        library.scopes.close(
            scope.handle, .forbidden, now: second(in: cache), ScopeEntities(library, in: cache))
        deliver(scope.handle, of: library, in: cache)
    }

    private func move(stream id: Int, from scope: ServedScope, to new: ServedScope, in cache: isolated SyncCache) {
        guard let served = streams[id], served.scope === scope else { return }
        scope.library.scopes.detach(&served.reader, from: scope.handle)
        scope.streamIDs.remove(id)
        served.scope = new
        new.streamIDs.insert(id)
        new.idleSince = nil
        pump(served, in: cache)
    }
}
