import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore

/// Logs in the journal: each flush has what changed of them since the one before, in the step that takes the entities.
extension ScopeEngine {
    /// Notes that a log has something that is not on the disk.
    func markDirty(_ scope: ServedScope) {
        guard !scope.isRetired, scope.library.scopes.head(of: scope.handle) != nil else { return }
        dirty.insert(ScopeHandleKey(scope))
        scope.ticket = takenCount + 1
    }

    /// Returns the logs that a flush writes.
    package func records(forFlush isWhole: Bool, in cache: isolated SyncCache) -> [RecordChange] {
        takenCount += 1
        var changes = unwritten
        unwritten = []
        if isWhole {
            changes = [RecordChange(kind: StoredScopes.secretKind, key: "", body: secretKey)]
            // The journal was created anew: only what is in memory is known of logs.
            index = [:]
            changes += ledger.entries.sorted { $0.key < $1.key }.map { $0.value.change($0.key) }
            for library in libraries.values {
                for scope in library.all where !scope.isRetired {
                    scope.stored = StoredLog()
                    markDirty(scope)
                    scope.ticket = takenCount
                }
            }
        }
        for (id, log) in parting.sorted(by: { $0.key < $1.key }) where !log.isTaken || isWhole {
            parting[id]?.isTaken = true
            changes += whole(log.image.encoded, of: id, isWhole ? StoredLog() : log.stored)
            changes.append(log.entry.change(of: id))
            index[id] = log.entry
        }
        let scopes = dirty.map(\.scope).sorted { $0.libraryID < $1.libraryID }
        dirty = []
        for scope in scopes { changes += records(of: scope, in: cache) }
        return changes
    }

    private func records(of scope: ServedScope, in cache: isolated SyncCache) -> [RecordChange] {
        let entities = ScopeEntities(scope.library, in: cache)
        let since = scope.stored.isLong ? nil : scope.stored.head
        guard !scope.isRetired, let definition = file.scopes[scope.name],
            let image = scope.library.scopes.image(scope.handle, since: since, entities)
        else { return [] }
        scope.stored.head = image.head
        let body = image.encoded
        guard image.isWhole else {
            let change = RecordChange(
                kind: StoredScopes.partKind(scope.libraryID), key: StoredScopes.partKey(scope.stored.partCount),
                body: body)
            scope.stored.partCount += 1
            scope.stored.changeByteCount += body.count
            return [change]
        }
        let entry = StoredLogEntry(fingerprint: definition.fingerprint, lastUse: second(in: cache))
        index[scope.libraryID] = entry
        let changes = whole(body, of: scope.libraryID, scope.stored) + [entry.change(of: scope.libraryID)]
        scope.stored = StoredLog(partCount: 1, head: image.head, wholeByteCount: body.count)
        return changes
    }

    /// The changes that store a whole log in place of all its parts.
    private func whole(_ body: [UInt8], of id: ByteString, _ stored: StoredLog) -> [RecordChange] {
        let kind = StoredScopes.partKind(id)
        var changes = [RecordChange(kind: kind, key: StoredScopes.partKey(0), body: body)]
        for number in 1..<max(1, stored.partCount) {
            changes.append(RecordChange(kind: kind, key: StoredScopes.partKey(number), body: nil))
        }
        return changes
    }

    /// Reads a stored log.
    ///
    /// - Returns: The log, if it was stored for this definition and all of its parts are sound; and what the journal
    ///   has.
    func storedLog(
        of id: ByteString, _ definition: ScopeDefinition, in cache: isolated SyncCache
    ) async throws(ScopeRefusal) -> (image: ScopeLogImage?, stored: StoredLog) {
        guard let entry = index[id] else { return (nil, StoredLog()) }
        let parts: [ByteString: [UInt8]]
        do throws(CacheError) {
            parts = try await cache.records(of: StoredScopes.partKind(id))
        } catch {
            throw .unavailable(error.message)
        }
        // The next one is stored whole, in place of all of these.
        let last = parts.keys.compactMap { Int($0.description) }.max() ?? 0
        let stored = StoredLog(partCount: last + 1)
        guard entry.fingerprint == definition.fingerprint else { return (nil, stored) }
        var images: [ScopeLogImage] = []
        for number in 0...last {
            guard let image = parts[StoredScopes.partKey(number)].flatMap({ ScopeLogImage(encoded: $0) }) else {
                return (nil, stored)
            }
            images.append(image)
        }
        guard let first = images.first, let image = ScopeLogImage(whole: first, changes: images.dropFirst()) else {
            return (nil, stored)
        }
        let byteCounts = (0...last).map { parts[StoredScopes.partKey($0)]?.count ?? 0 }
        return (
            image,
            StoredLog(
                partCount: last + 1, head: image.head, wholeByteCount: byteCounts[0],
                changeByteCount: byteCounts.dropFirst().reduce(0, +))
        )
    }

    /// Forgets the log of a scope that another file replaced. Its numbers are never used again, so its last lines wait
    /// until that is on the disk.
    func forgetLog(of scope: ServedScope, in cache: isolated SyncCache) {
        dirty.remove(ScopeHandleKey(scope))
        index[scope.libraryID] = nil
        let kind = StoredScopes.partKind(scope.libraryID)
        unwritten.append(RecordChange(kind: StoredScopes.entryKind, key: scope.libraryID, body: nil))
        for number in 0..<scope.stored.partCount {
            unwritten.append(RecordChange(kind: kind, key: StoredScopes.partKey(number), body: nil))
        }
        scope.ticket = takenCount + 1
        cache.writeRecordsSoon()
    }
}
