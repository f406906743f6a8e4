import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// Computing views from stored entities, in steps between which events are applied.
extension ViewEngine {
    /// What is to be filled.
    enum Filling {
        /// A use, with the relations that it needs.
        case use(ViewUseID)
        /// The relations of all held rules.
        case rules
    }

    /// Computes a use, or the relations of rules. The caller goes on in the same step.
    ///
    /// - Parameter stepCountMax: The most steps.
    /// - Returns: False if more steps are needed.
    /// - Throws: ``CacheError`` `storageFailed` if the journal cannot be read, `limitExceeded` if the views would need
    ///   too much memory.
    @discardableResult
    func fill(
        _ filling: Filling, of library: ViewLibrary, stepCountMax: Int = .max, in cache: isolated SyncCache
    ) async throws(CacheError) -> Bool {
        while library.isRebuilding || library.step(of: filling) != .complete {
            let mustWait = library.isRebuilding || library.isFilling
            guard !mustWait || stepCountMax == .max else { return false }
            if library.isRebuilding {
                await withCheckedContinuation { library.rebuildWaiters.append($0) }
                if let failure = library.rebuildFailure { throw failure }
                continue
            }
            await beginFilling(library, in: cache)
            defer { endFilling(library) }
            guard try await fillSteps(filling, of: library, stepCountMax: stepCountMax, in: cache) else { return false }
        }
        return true
    }

    /// Fills until it is complete, or until everything has to be computed anew.
    ///
    /// - Returns: False if more steps are needed.
    @discardableResult
    private func fillSteps(
        _ filling: Filling, of library: ViewLibrary, stepCountMax: Int = .max, in cache: isolated SyncCache
    ) async throws(CacheError) -> Bool {
        try await loadTypes(of: library, in: cache)
        var (stepCount, nextCheck) = (0, 1)
        while stepCount < stepCountMax {
            stepCount += 1
            let step = library.step(of: filling)
            switch step {
            case .complete: return true
            case .unpaged:
                guard case .use(let use) = filling else { return true }
                let entities = PagedEntities(CacheEntities(library, in: cache), type: "", [])
                _ = library.views.fill(use, entities, countMax: 1)
            case .page(let name, let after):
                guard let type = library.followed[name]?.type else { return true }
                do throws(StorageError) {
                    try await cache.withPage(of: type, after: after) { entities, isLast in
                        // A rule that was added meanwhile may need another page first.
                        guard library.step(of: filling) == step else { return }
                        let page = PagedEntities(CacheEntities(library, in: cache), type: name, entities)
                        // Fewer entities than asked for are the last ones.
                        library.fill(filling, page, countMax: entities.count + (isLast ? 1 : 0))
                    }
                } catch {
                    throw CacheError(.storageFailed, error.description)
                }
                // Counting visits all that was filled, so it is done ever more rarely: an eighth is filled in between.
                if stepCount >= nextCheck || library.step(of: filling) == .complete {
                    try checkMemory(of: library, in: cache)
                    nextCheck = stepCount + max(1, stepCount / 8)
                }
                await Task.yield()
            }
            if library.unreadable.isEmpty, !library.isLost { continue }
            rebuild(library, in: cache)
            return true
        }
        return library.step(of: filling) == .complete
    }

    /// Loads followed types into memory, where the journal cannot be read in the middle of a step.
    private func loadTypes(of library: ViewLibrary, in cache: isolated SyncCache) async throws(CacheError) {
        for (name, followed) in library.followed.sorted(by: { $0.key < $1.key }) where !followed.isLoaded {
            do throws(StorageError) {
                try await cache.loadFollowed(followed.type)
            } catch {
                throw CacheError(.storageFailed, error.description)
            }
            library.followed[name]?.isLoaded = true
        }
    }

    private func beginFilling(_ library: ViewLibrary, in cache: isolated SyncCache) async {
        while library.isFilling { await withCheckedContinuation { library.fillWaiters.append($0) } }
        library.isFilling = true
    }

    private func endFilling(_ library: ViewLibrary) {
        library.isFilling = false
        let waiters = library.fillWaiters
        library.fillWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Refuses views that need more than half of the memory that the cache may take.
    private func checkMemory(of library: ViewLibrary, in cache: isolated SyncCache) throws(CacheError) {
        let byteCountMax = limits.byteCountMax ?? cache.configuration.memoryByteCountMax / 2
        let byteCount = library.views.byteCount
        guard byteCount > byteCountMax else { return }
        throw CacheError(
            .limitExceeded,
            "the views of library \(library.name) would need more than \(byteCount) bytes, and may take "
                + "\(byteCountMax), half of the memory limit: raise it, or ask for less")
    }

    // MARK: Anew

    /// Computes all views of a library anew, because what they were computed from is not known any more. Observers
    /// are told the difference afterwards.
    func rebuild(_ library: ViewLibrary, in cache: isolated SyncCache) {
        guard !library.isRebuilding else { return }
        library.isRebuilding = true
        cache.spawn { await self.refill(library, in: cache) }
    }

    private func refill(_ library: ViewLibrary, in cache: isolated SyncCache) async {
        await beginFilling(library, in: cache)
        do throws(CacheError) {
            repeat {
                suspendAll(of: library)
                library.isLost = false
                let keys = library.unreadable
                library.unreadable = []
                library.views.restart()
                try await load(keys, of: library, in: cache)
                for use in library.views.uses { try await fillSteps(.use(use), of: library, in: cache) }
                try await fillSteps(.rules, of: library, in: cache)
            } while library.isLost || !library.unreadable.isEmpty
            library.rebuildFailure = nil
        } catch {
            // The next change tries again.
            library.isLost = true
            library.rebuildFailure = error
        }
        library.isRebuilding = false
        endFilling(library)
        let waiters = library.rebuildWaiters
        library.rebuildWaiters = []
        for waiter in waiters { waiter.resume() }
        guard library.rebuildFailure == nil else { return }
        for (name, definition) in library.definitions {
            guard let window = definition.window else { continue }
            _ = library.views.resume(window, CacheEntities(library, in: cache))
            library.definitions[name]?.isResultUnwritten = true
        }
        for observer in library.observers.values.sorted(by: { $0.subscription.rawValue < $1.subscription.rawValue }) {
            lagging.removeAll { $0 === observer }
            catchUp(observer, of: library, isForced: false, in: cache)
        }
    }

    /// Loads entities that could not be read in the middle of a step. Those of damaged rows are lost.
    private func load(
        _ keys: Set<ViewKey>, of library: ViewLibrary, in cache: isolated SyncCache
    ) async throws(CacheError) {
        let keys = keys.filter { library.followed[$0.type] != nil }.sorted { ($0.type, $0.id) < ($1.type, $1.id) }
        let entities = keys.compactMap { key in library.followed[key.type].map { (type: $0.type, id: key.id) } }
        for place in try await cache.load(entities) {
            let (type, id) = entities[place]
            if cache.presence(of: id, type) == nil { library.lost.insert(keys[place]) }
        }
    }

    /// Keeps what observers were told last.
    private func suspendAll(of library: ViewLibrary) {
        for observer in library.observers.values where observer.lag == nil {
            observer.lag = ViewObserver.Lag(patch: [], addedKeys: [], count: 1, mustTell: false)
            lagging.append(observer)
        }
    }
}

extension ViewLibrary {
    /// What a filling needs next.
    func step(of filling: ViewEngine.Filling) -> ViewFillStep {
        switch filling {
        case .use(let use): views.nextStep(of: use)
        case .rules: views.nextStepOfRelations ?? .complete
        }
    }

    /// Makes one step of a filling.
    func fill(_ filling: ViewEngine.Filling, _ entities: any ListableEntities, countMax: Int) {
        switch filling {
        case .use(let use): _ = views.fill(use, entities, countMax: countMax)
        case .rules: _ = views.fillRules(entities, countMax: countMax)
        }
    }
}
