import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// Edits through scopes: each is handed on once, and its outcome is shown as the scope shows entities.
extension ScopeEngine {
    /// Hands an edit on, unless that was done before.
    ///
    /// - Parameters:
    ///   - pendingID: The client's id of the edit.
    ///   - digest: A digest of the whole request.
    ///   - changes: The operations of the edit as a JSON array, which name the types of ids.
    ///   - send: Hands it on; called at most once.
    /// - Throws: ``ScopeRefusal``; nothing was handed on then, unless the outcome could not be stored.
    func edit(
        _ request: ScopeRequest, pendingID: ByteString, digest: ByteString, changes: [UInt8],
        send: @escaping @Sendable () async -> EditOutcome, in cache: isolated SyncCache
    ) async throws(ScopeRefusal) -> EditAnswer {
        let scope = try await begin(request, in: cache)
        defer { finish(scope, in: cache) }
        let key = EditLedger.key(subject: request.subject, scope: request.name, pendingID: pendingID)
        while ledger.isUnderWay(key) { await withCheckedContinuation { ledger.wait(for: key, $0) } }
        if let known = ledger.entries[key] {
            guard known.digest == digest else { return .reused }
            if known.isSettled, let outcome = try await storedOutcome(of: key, in: cache) {
                try await evaluate(scope, in: cache)
                return .outcome(shown(outcome, changes, in: scope))
            }
        }
        if ledger.isUnderWay(key) { throw .unavailable("the edit is being handed on: ask again") }
        let entry = EditLedger.Entry(
            digest: digest, second: second(in: cache), subject: request.subject, pendingID: pendingID,
            scope: scope.libraryID, library: scope.library.name)
        guard ledger.add(entry, key) else { throw .request(.tooMany) }
        ledger.begin(key)
        defer { ledger.end(key) }
        try await write([entry.change(key)], in: cache)
        // Access may have ended while the entry was written. The entry stays, and the edit is as new if it returns.
        try await evaluate(scope, in: cache)
        scope.library.origins.add(entry.origin)
        // The client may leave; what the service says is stored all the same.
        let outcome = await Task { await send() }.value
        if let stored = outcome.stored {
            ledger.settle(key)
            var settled = entry
            settled.isSettled = true
            try await write(
                [
                    settled.change(key),
                    RecordChange(kind: EditLedger.outcomeKind(key), key: "", body: stored),
                ], in: cache)
        }
        return .outcome(shown(outcome, changes, in: scope))
    }

    private func write(_ changes: [RecordChange], in cache: isolated SyncCache) async throws(ScopeRefusal) {
        do throws(CacheError) {
            try await cache.write(changes)
        } catch {
            throw .unavailable(error.message)
        }
    }

    private func storedOutcome(
        of key: ByteString, in cache: isolated SyncCache
    ) async throws(ScopeRefusal) -> EditOutcome? {
        do throws(CacheError) {
            return try await cache.records(of: EditLedger.outcomeKind(key))[""].flatMap { EditOutcome(stored: $0) }
        } catch {
            throw .unavailable(error.message)
        }
    }

    // MARK: What the author sees

    /// Returns an outcome with what the scope shows of its entities. If it does not show all of them, the author learns
    /// of none here, and of the rest by the event that follows. The source's sequence means nothing in a scope.
    private func shown(_ outcome: EditOutcome, _ changes: [UInt8], in scope: ServedScope) -> EditOutcome {
        guard case .confirmed(let result) = outcome else { return outcome }
        let members = JSONSlice(compact: result[...]).members ?? [:]
        let type = members[Array("resource_type".utf8)]?.text.map { ByteString($0) }
        let given = members[Array("confirmed".utf8)]
        let confirmed: [JSONSlice]? = given?.kind == .object ? given.map { [$0] } : given?.elements
        let types = ScopeEngine.types(of: changes)
        let shown: [[UInt8]]? = confirmed?.compactMap { resource in
            shownResource(resource, type, types, in: scope)
        }
        var line = JSONLine()
        line.object { line in
            if let shown, shown.count == confirmed?.count {
                line.name("confirmed")
                line.array { line in
                    for resource in shown { line.value(json: resource) }
                }
                if let type { line.member("resource_type", Optional(type)) }
            }
            if let ids = members[Array("id_map".utf8)], ids.kind == .object {
                line.member("id_map", json: Array(ids.bytes))
            }
        }
        return .confirmed(result: line.bytes)
    }

    private func shownResource(
        _ resource: JSONSlice, _ type: ByteString?, _ types: [ByteString: ByteString], in scope: ServedScope
    ) -> [UInt8]? {
        let members = resource.members ?? [:]
        let value = members[Array("id".utf8)] ?? members[Array("uuid".utf8)]
        guard let value, let id = value.text.map({ ByteString($0) }) ?? value.integer.map({ ByteString(String($0)) }),
            let name = type ?? types[id]
        else { return nil }
        let own = scope.library.aliases[name] ?? name
        guard scope.library.scopes.shows(scope.handle, ViewKey(type: own, id: id)) else { return nil }
        return scope.library.scopes.projected(Array(resource.bytes), of: own, in: scope.handle)
    }

    /// The types of the entities that an edit names, by their ids.
    private static func types(of changes: [UInt8]) -> [ByteString: ByteString] {
        var types: [ByteString: ByteString] = [:]
        for change in JSONSlice(compact: changes[...]).elements ?? [] {
            let members = change.members ?? [:]
            guard let type = members[Array("resource_type".utf8)]?.text else { continue }
            let resource = members[Array("resource".utf8)]?.members ?? [:]
            for value in [members[Array("id".utf8)], resource[Array("id".utf8)]] {
                let id = value?.text.map { ByteString($0) } ?? value?.integer.map { ByteString(String($0)) }
                if let id { types[id] = ByteString(type) }
            }
        }
        return types
    }

    // MARK: At the opening

    /// Restores the edits of an earlier process.
    func restore(_ entries: [ByteString: EditLedger.Entry], in cache: isolated SyncCache) {
        for (key, entry) in entries.sorted(by: { ($0.value.second, $0.key) < ($1.value.second, $1.key) }) {
            _ = ledger.add(entry, key)
            libraries[entry.library]?.origins.add(entry.origin)
        }
        unwritten += ledger.forgetOld(now: second(in: cache))
    }
}

extension EditLedger.Entry {
    /// Whose edit it is.
    var origin: EditOrigins.Origin {
        EditOrigins.Origin(edit: ScopeEdit(subject: subject, mutationID: pendingID), scope: scope)
    }
}
