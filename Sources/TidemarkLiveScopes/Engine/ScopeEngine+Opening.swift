import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// Scopes that somebody asks for: found or opened, evaluated, and let go again.
extension ScopeEngine {
    /// Returns an evaluated scope that its requester may see. The caller goes on in the same step, and calls
    /// ``finish(_:in:)`` in the end.
    ///
    /// - Throws: ``ScopeRefusal``.
    func begin(_ request: ScopeRequest, in cache: isolated SyncCache) async throws(ScopeRefusal) -> ServedScope {
        if cache.closedRefusal != nil { throw .unavailable("the cache is closed") }
        let scope = try await hold(request, in: cache)
        scope.requestCount += 1
        do throws(ScopeRefusal) {
            try await evaluate(scope, in: cache)
        } catch {
            finish(scope, in: cache)
            throw error
        }
        return scope
    }

    /// Ends one ``begin(_:in:)``.
    func finish(_ scope: ServedScope, in cache: isolated SyncCache) {
        scope.requestCount -= 1
        letGo(scope, in: cache)
    }

    /// Returns once a scope is evaluated and its requester may see it, in the step in which that is so.
    ///
    /// - Throws: ``ScopeRefusal``: `forbidden`, or `unavailable` if the journal cannot be read or the file was
    ///   replaced.
    func evaluate(_ scope: ServedScope, in cache: isolated SyncCache) async throws(ScopeRefusal) {
        let library = scope.library
        while !scope.isRetired, !library.scopes.isReady(scope.handle) || library.isRebuilding {
            if library.isRebuilding {
                await withCheckedContinuation { library.rebuildWaiters.append($0) }
                continue
            }
            do throws(CacheError) {
                try await fill(scope, of: library, in: cache)
            } catch {
                throw .unavailable(error.message)
            }
        }
        if scope.isRetired { throw .unavailable("the file of scopes was replaced: ask again") }
        if library.scopes.isForbidden(scope.handle) { throw .request(.forbidden) }
    }

    /// Returns a scope, evaluated or not.
    private func hold(_ request: ScopeRequest, in cache: isolated SyncCache) async throws(ScopeRefusal) -> ServedScope {
        while true {
            guard let definition = file.scopes[request.name],
                let library = libraries[definition.library ?? cache.configuration.defaultLibrary]
            else { throw .request(.notFound) }
            let parameters: ScopeParameters
            do throws(ScopeRequestError) {
                parameters = try ScopeParameters(
                    definition, claims: request.claims, address: request.address, limits: limits)
            } catch {
                throw .request(error)
            }
            let id = secret.libraryID(of: request.name, parameters)
            if let known = library.served[id] {
                try note(known, for: request.subject, in: cache)
                return known
            }
            let found = try await storedLog(of: id, definition, in: cache)
            // Another request may have opened it meanwhile, or the file may be another one.
            if library.served[id] != nil || file.scopes[request.name] != definition { continue }
            // What is about to be written is newer than what was read.
            let last = parting.removeValue(forKey: id)
            let isSame = last.map { $0.entry.fingerprint == definition.fingerprint } ?? true
            let image = isSame ? last?.image ?? found.image : nil
            let handle: ScopeHandle
            do throws(ScopeRequestError) {
                handle = try library.scopes.open(request.name, parameters, restoring: image)
            } catch {
                throw .request(error)
            }
            let stored = last.map { StoredLog(partCount: $0.stored.partCount) } ?? found.stored
            let scope = ServedScope(
                library, request.name, parameters, libraryID: id, handle: handle, stored: stored)
            library.add(scope)
            do throws(ScopeRefusal) {
                try note(scope, for: request.subject, in: cache)
            } catch {
                letGo(scope, in: cache)
                throw error
            }
            return scope
        }
    }

    /// Counts a scope for a subject. Of those that it has, the one that nobody needs for the longest time makes room.
    private func note(
        _ scope: ServedScope, for subject: ByteString, in cache: isolated SyncCache
    ) throws(ScopeRefusal) {
        guard scope.subjects.insert(subject).inserted else { return }
        let own = libraries.values.flatMap(\.all).filter { $0.subjects.contains(subject) }
        guard own.count > serving.subjectScopeCountMax else { return }
        let idle = own.filter { $0.isUnused && $0 !== scope }
        guard let oldest = idle.min(by: { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) }) else {
            scope.subjects.remove(subject)
            throw .request(.tooMany)
        }
        oldest.subjects.remove(subject)
        if oldest.subjects.isEmpty { release(oldest, in: cache) }
    }

    // MARK: Letting go

    /// Lets a scope go if nobody needs it. One that shows something stays for a while, since its readers often return.
    func letGo(_ scope: ServedScope, in cache: isolated SyncCache) {
        guard scope.isUnused else { return }
        let scopes = scope.library.scopes
        if scope.isRetired || !scopes.isReady(scope.handle) || scopes.isForbidden(scope.handle) {
            release(scope, in: cache)
        } else if scope.idleSince == nil {
            scope.idleSince = cache.now
        }
    }

    /// Ends a scope. Its log is stored, and goes on when somebody asks again.
    func release(_ scope: ServedScope, in cache: isolated SyncCache) {
        let library = scope.library
        library.remove(scope)
        let wasDirty = dirty.remove(ScopeHandleKey(scope)) != nil
        let image = library.scopes.release(scope.handle, ScopeEntities(library, in: cache))
        guard !scope.isRetired, let definition = file.scopes[scope.name], index[scope.libraryID] != nil || wasDirty
        else { return }
        let entry = StoredLogEntry(fingerprint: definition.fingerprint, lastUse: second(in: cache))
        index[scope.libraryID] = entry
        if let image, wasDirty || scope.ticket > committedCount {
            parting[scope.libraryID] = PartingLog(image: image, stored: scope.stored, entry: entry)
            cache.writeRecordsSoon()
        } else {
            // Only its last use is new. It goes with the next flush, whenever that is.
            unwritten.append(entry.change(of: scope.libraryID))
        }
    }

    // MARK: Filling

    /// Evaluates a scope, or what the rules of the file need. The caller goes on in the same step.
    ///
    /// - Throws: ``CacheError`` `storageFailed` if the journal cannot be read.
    func fill(
        _ scope: ServedScope?, of library: ScopeLibrary, in cache: isolated SyncCache
    ) async throws(CacheError) {
        await beginFilling(library, in: cache)
        defer { endFilling(library) }
        try await fillSteps(scope, of: library, in: cache)
    }

    func fillSteps(
        _ scope: ServedScope?, of library: ScopeLibrary, in cache: isolated SyncCache
    ) async throws(CacheError) {
        try await loadTypes(of: library, in: cache)
        while let step = step(scope, of: library) {
            switch step {
            case .complete, .unpaged:
                let entities = PagedEntities(ScopeEntities(library, in: cache), type: "", [])
                fillStep(scope, of: library, entities, countMax: 1, in: cache)
            case .page(let name, let after):
                guard let type = library.followed[name]?.type else { return }
                do throws(StorageError) {
                    try await cache.withPage(of: type, after: after, isOfBases: true) { entities, isLast in
                        // A changed file may need another page first.
                        guard self.step(scope, of: library) == step else { return }
                        let page = PagedEntities(ScopeEntities(library, in: cache), type: name, entities)
                        // Fewer entities than asked for are the last ones.
                        fillStep(scope, of: library, page, countMax: entities.count + (isLast ? 1 : 0), in: cache)
                    }
                } catch {
                    throw CacheError(.storageFailed, error.description)
                }
                await Task.yield()
            }
            guard library.unreadable.isEmpty, !library.isLost else { return rebuild(library, in: cache) }
        }
    }

    /// What is needed next; nil once everything is evaluated.
    private func step(_ scope: ServedScope?, of library: ScopeLibrary) -> ViewFillStep? {
        if let step = library.scopes.nextStepOfRules, step != .complete { return step }
        guard let scope, !scope.isRetired, !library.scopes.isReady(scope.handle) else { return nil }
        return library.scopes.nextStep(of: scope.handle)
    }

    private func fillStep(
        _ scope: ServedScope?, of library: ScopeLibrary, _ entities: any ListableEntities, countMax: Int,
        in cache: isolated SyncCache
    ) {
        if let step = library.scopes.nextStepOfRules, step != .complete {
            _ = library.scopes.prepare(entities, countMax: max(1, countMax))
            return
        }
        guard let scope else { return }
        let isReady = library.scopes.fill(
            scope.handle, entities, countMax: max(1, countMax), identity: randomBytes(16), now: second(in: cache))
        // A stored log of which nothing changed is on the disk as it is.
        guard isReady, let head = library.scopes.head(of: scope.handle), head != scope.stored.head else { return }
        markDirty(scope)
        cache.writeRecordsSoon()
    }

    /// Loads followed types into memory, where the journal cannot be read in the middle of a step.
    private func loadTypes(of library: ScopeLibrary, in cache: isolated SyncCache) async throws(CacheError) {
        for (name, followed) in library.followed.sorted(by: { $0.key < $1.key }) where !followed.isLoaded {
            do throws(StorageError) {
                try await cache.loadFollowed(followed.type)
            } catch {
                throw CacheError(.storageFailed, error.description)
            }
            library.noteLoaded(name)
        }
    }

    func beginFilling(_ library: ScopeLibrary, in cache: isolated SyncCache) async {
        while library.isFilling { await withCheckedContinuation { library.fillWaiters.append($0) } }
        library.isFilling = true
    }

    func endFilling(_ library: ScopeLibrary) {
        library.isFilling = false
        let waiters = library.fillWaiters
        library.fillWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}
