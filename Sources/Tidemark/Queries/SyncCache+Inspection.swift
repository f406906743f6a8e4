import TidemarkModel
import TidemarkStore

/// Reads for people who look at a cache: they are not uses, and are not counted as hits or misses.
extension SyncCache {
    // MARK: Queries

    /// Returns queries by number; see ``TidemarkStore/CacheState/queryListings(library:type:after:countMax:at:)``.
    ///
    /// - Throws: ``CacheError`` when the cache was closed.
    package func queries(
        library: ByteString?, type: ByteString?, after number: Int64, countMax: Int
    ) throws(CacheError) -> (queries: [QueryListing], next: Int64?) {
        try checkOpen()
        var page = state.queryListings(
            library: library, type: type, after: number, countMax: countMax, at: clock.now())
        for index in page.queries.indices { page.queries[index].fetch = fetches.times[page.queries[index].key] }
        return page
    }

    // MARK: Entities

    /// Returns an entity without layers, and the layers over it.
    ///
    /// - Parameter fields: The names of the wanted top-level fields; nil: all.
    /// - Throws: ``CacheError`` `storageFailed`.
    package func base(of key: EntityKey, fields: Set<[UInt8]>? = nil) async throws(CacheError) -> EntityBase {
        try checkOpen()
        do throws(StorageError) {
            return try await withLoaded({ state.keyToLoad(key).map { [$0] } ?? [] }) {
                var base = state.entityBase(of: key)
                base.payload = base.payload.map { FieldSelection.resource($0, fields: fields) }
                return base
            }
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
    }

    /// The operation by which a layer's change was requested.
    package nonisolated static func operation(_ key: EntityKey, _ change: LayerChange) -> TransactionOperation {
        TransactionOperation(key, change)
    }

    /// The number of stored entities of one library and type.
    package struct TypeCount: Hashable, Sendable {
        package var library: ByteString
        package var type: ByteString
        package var count: Int64
    }

    /// Counts the stored entities of each library and type. All changes that were made before are counted, unless the
    /// journal cannot be written.
    ///
    /// - Parameter library: The only library; nil: every library.
    /// - Returns: The counts by library and type, types without entities left out.
    /// - Throws: ``CacheError`` `storageFailed`.
    /// - Complexity: O(entities), of their keys alone.
    package func typeCounts(library: ByteString?) async throws(CacheError) -> [TypeCount] {
        try checkOpen()
        do throws(StorageError) {
            try await writeForReading()
            let stored = try await journal.entityCounts()
            return (stored.map { ($0.library, $0.type, $0.count) } + state.unstoredCounts()).compactMap { found in
                state.names(found.0, found.1).map { TypeCount(library: $0.library, type: $0.type, count: found.2) }
            }
            .filter { library == nil || $0.library == library }
            .sorted { ($0.library, $0.type) < ($1.library, $1.type) }
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
    }

    // MARK: Quarantine

    /// Returns records of the quarantine, oldest first. All records that were made before are among them, unless the
    /// journal cannot be written.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func quarantine(_ selection: QuarantineSelection) async throws(CacheError) -> [QuarantineRecord] {
        try checkOpen()
        do throws(StorageError) {
            try await writeForReading()
            return try await journal.quarantine(selection)
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
    }

    /// The number of records that are read and retried at once: 256. It bounds the memory that a long quarantine takes.
    private static let retriedPageCount = 256

    /// Reads quarantined records again.
    ///
    /// - Parameter numbers: The numbers of the records; nil: every record, as many as quarantine holds at most.
    /// - Returns: The outcomes; the number of records is their sum.
    /// - Throws: ``CacheError``: `invalidParams` when there is no record of a number, and nothing was retried;
    ///   `storageFailed`, and earlier records are done.
    package func retryQuarantine(_ numbers: [Int64]?) async throws(CacheError) -> RetryCounts {
        var selection = QuarantineSelection(countMax: SyncCache.retriedPageCount)
        selection.numbers = numbers.map { Array(Set($0)).sorted() }
        if let numbers = selection.numbers { try await checkRecords(numbers) }
        var counts = RetryCounts()
        // New records may come as fast as old ones are read again.
        while counts.total < configuration.limits.quarantineRecordCountMax {
            let page = try await quarantine(selection)
            guard let last = page.last?.number else { return counts }
            selection.after = last
            let outcome: RetryCounts
            do throws(StorageError) {
                outcome = try await retry(page)
            } catch {
                throw CacheError(.storageFailed, error.description)
            }
            counts.applied += outcome.applied
            counts.superseded += outcome.superseded
            counts.refused += outcome.refused
        }
        return counts
    }

    private func checkRecords(_ numbers: [Int64]) async throws(CacheError) {
        var selection = QuarantineSelection(countMax: numbers.count)
        selection.numbers = numbers
        let known = Set(try await quarantine(selection).compactMap(\.number))
        guard let unknown = numbers.first(where: { !known.contains($0) }) else { return }
        throw CacheError(
            .invalidParams, "there is no record \(unknown) in quarantine: see quarantine.list; nothing was retried")
    }

    /// Writes what is unwritten, so that the journal can be asked for it. While the journal fails, it is asked for what
    /// it has.
    private func writeForReading() async throws(StorageError) {
        guard storageError == nil else { return }
        try await flush()
    }

    // MARK: Findings

    /// Examines the journal and everything around it, and the state in memory.
    ///
    /// Calls that come while the journal is examined get the same findings of it.
    package func findings() async -> [JournalFinding] {
        let examination = turns.examination.join { Task { [journal] in await journal.examine() } }
        let stored = await examination.value
        turns.examination.ended(examination)
        return stored + currentFindings()
    }

    /// The findings that only a running cache knows.
    private func currentFindings() -> [JournalFinding] {
        var findings: [JournalFinding] = []
        if let error = storageError {
            findings.append(
                JournalFinding(
                    .problem, topic: "session", code: "storage_failing",
                    "nothing can be written: \(error.message)", advice: error.advice))
        }
        for status in state.statuses where status.phase == .gap {
            findings.append(
                JournalFinding(
                    .warning, topic: "session", code: "gap",
                    "numbers of the log are missing and awaited", at: status.library.description,
                    advice: "wait for the upstream's answer; without one the numbers are declared lost"))
        }
        for status in outboxStatuses() where status.state == .failed {
            findings.append(
                JournalFinding(
                    .warning, topic: "session", code: "request_failed",
                    "the request of a pending edit failed: \(status.failure?.message.description ?? "no reason")",
                    at: status.pendingID.description, advice: "send it again or roll it back"))
        }
        return findings
    }
}
