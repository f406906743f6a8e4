import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// The results of defined views in the journal: written with the flush that has what they are made of, and answered
/// right after an opening, until something changes or they are computed.
extension ViewEngine {
    // MARK: After an opening

    /// Restores the result of an earlier process. One that may not be of this state any more, because something changed
    /// before the views' types were followed, is removed with the next flush.
    func restore(_ body: [UInt8], of name: ByteString, in library: ViewLibrary, cache: isolated SyncCache) {
        library.definitions[name]?.isResultStored = true
        guard cache.isAsStored, let stored = StoredResult(body: body) else {
            library.definitions[name]?.isResultUnwritten = true
            return
        }
        library.definitions[name]?.stored = stored
        library.definitions[name]?.hasLoss = stored.hasLoss
    }

    /// Answers a read of a defined view from what an earlier process stored; nil if that has to be computed.
    func storedReply(to request: ViewRequest, in cache: isolated SyncCache) -> ViewReply? {
        guard case .name(let name) = request.view, let library = libraries[request.library],
            let definition = library.definitions[name], let stored = definition.stored,
            request.params == nil || request.params == Array("{}".utf8), cache.closedRefusal == nil,
            cache.pendingVersion == library.layerVersion,
            let window = stored.window(
                offset: request.offset ?? definition.rule.offset, limit: request.limit ?? definition.rule.limit)
        else { return nil }
        // Both are of all stored rows: where they say something, it may be of rows outside the window.
        guard window.count == stored.rows.count || !stored.isPending && stored.missing == 0 else { return nil }
        let status = cache.status(of: library.name)
        return ViewReply(
            rows: Array(stored.rows[window]), keys: Array(stored.keys[window]), total: stored.total,
            missing: stored.missing, hasTotal: definition.rule.hasTotal, hasKeys: request.wantsKeys,
            status: ViewStatus(
                asOf: status.cursor, isStale: isStale(status) || definition.hasLoss, isPending: stored.isPending),
            subscription: nil)
    }

    /// Forgets the stored results of views whose entities or edits have changed.
    func dropStoredResults(of library: ViewLibrary, in cache: isolated SyncCache) {
        guard library.definitions.values.contains(where: { $0.stored != nil }) else { return }
        let types = Set(library.changes.map(\.key.type))
        let isEach = library.isLost || cache.pendingVersion != library.layerVersion
        for (name, definition) in library.definitions where definition.stored != nil {
            guard isEach || !library.ownTypes(of: definition.rule).isDisjoint(with: types) else { continue }
            library.definitions[name]?.stored = nil
            library.definitions[name]?.isResultUnwritten = true
        }
    }

    // MARK: Writing

    /// Begins to keep the first rows of a computed view, to store them.
    func showResult(of name: ByteString, in library: ViewLibrary, cache: isolated SyncCache) {
        guard let definition = library.definitions[name], let use = definition.use, definition.window == nil,
            library.step(of: definition.filling) == .complete
        else { return }
        let window = library.views.open(
            use, offset: 0, limit: StoredResult.limit(of: definition.rule), CacheEntities(library, in: cache))
        library.definitions[name]?.window = window
        let former = definition.stored?.body
        library.definitions[name]?.stored = nil
        // Most openings change nothing, and write nothing.
        if former == nil || former != result(of: name, in: library, cache: cache)?.body {
            library.definitions[name]?.isResultUnwritten = true
        }
    }

    /// Notes the defined views whose stored rows may have changed.
    func noteResults(of windows: Set<ViewWindowID>, in library: ViewLibrary) {
        for (name, definition) in library.definitions where !definition.isResultUnwritten {
            if let window = definition.window, windows.contains(window) {
                library.definitions[name]?.isResultUnwritten = true
            }
        }
    }

    /// Returns the definitions and results that a flush writes.
    package func records(forFlush isWhole: Bool, in cache: isolated SyncCache) -> [RecordChange] {
        var changes = unclaimedResults
        unclaimedResults = []
        for library in libraries.values.sorted(by: { $0.name < $1.name }) {
            for (name, definition) in library.definitions.sorted(by: { $0.key < $1.key }) {
                let record = ViewRecord(library: library.name, name: name)
                if isWhole { changes.append(record.change(to: definition.rule)) }
                // While everything is computed anew, the flush has changes that the stored result lacks.
                guard definition.use != nil, definition.isResultUnwritten || isWhole || !library.isReadable else {
                    continue
                }
                let body = result(of: name, in: library, cache: cache)?.body
                library.definitions[name]?.isResultUnwritten = false
                guard body != nil || definition.isResultStored else { continue }
                library.definitions[name]?.isResultStored = body != nil
                changes.append(record.change(toResult: body))
            }
        }
        return changes
    }

    /// Returns the first rows of a defined view; nil while they are being computed.
    private func result(of name: ByteString, in library: ViewLibrary, cache: isolated SyncCache) -> StoredResult? {
        guard let definition = library.definitions[name], let window = definition.window,
            let result = library.views.result(window), !result.isTooLarge
        else { return nil }
        let isPending = library.views.isPending(window, covered: library.covered, CacheEntities(library, in: cache))
        guard library.isReadable else {
            rebuild(library, in: cache)
            return nil
        }
        return StoredResult(
            rows: result.rows, keys: result.keys.map(\.text), total: result.total, missing: result.missing,
            isPending: isPending, hasLoss: definition.hasLoss, isCut: result.total > result.rows.count)
    }
}
