import TidemarkModel
import TidemarkStore

/// Reads for people who inspect a cache. They do not count as uses, hits or misses.
extension SyncCache {
    // MARK: Queries

    /// Returns queries by number; see ``/TidemarkStore/CacheState/queryListings(library:type:after:countMax:at:)``.
    ///
    /// - Throws: ``CacheError`` when the cache is closed.
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

    /// Returns an entity without layers, and the layers that change it.
    ///
    /// - Parameter fields: The names of the wanted top-level fields; nil for all.
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
            throw CacheError(error)
        }
    }

    /// Returns the operation that requests this change of a layer.
    package nonisolated static func operation(_ key: EntityKey, _ change: LayerChange) -> TransactionOperation {
        TransactionOperation(key, change)
    }

    /// The number of stored entities of one library and type.
    package struct TypeCount: Hashable, Sendable {
        /// The library.
        package var library: ByteString
        /// The resource type.
        package var type: ByteString
        /// The number of stored entities.
        package var count: Int64
    }

    /// Counts the stored entities of each library and type. Changes that were made before the call are included, unless
    /// the journal cannot be written.
    ///
    /// - Parameter library: The only library to count; nil for every library.
    /// - Returns: The counts by library and type. Types without entities are left out.
    /// - Throws: ``CacheError`` `storageFailed`.
    /// - Complexity: O(entities); only their keys are read.
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
            throw CacheError(error)
        }
    }

    // MARK: Quarantine

    /// Returns records of the quarantine, oldest first. Records that were made before the call are included, unless the
    /// journal cannot be written.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func quarantine(_ selection: QuarantineSelection) async throws(CacheError) -> [QuarantineRecord] {
        try checkOpen()
        do throws(StorageError) {
            try await writeForReading()
            return try await journal.quarantine(selection)
        } catch {
            throw CacheError(error)
        }
    }

    /// How many records are read and retried at once: 256. It bounds the memory that retrying a long quarantine takes.
    private static let retriedPageCount = 256

    /// Reads quarantined records again.
    ///
    /// - Parameter numbers: The numbers of the records; nil for every record, up to as many as quarantine can have.
    /// - Returns: The outcomes; their sum is the number of records.
    /// - Throws: ``CacheError``: `invalidParams` when no record has one of the numbers, and then nothing was retried;
    ///   `storageFailed`, and then earlier records are done.
    package func retryQuarantine(_ numbers: [Int64]?) async throws(CacheError) -> RetryCounts {
        var selection = QuarantineSelection(countMax: SyncCache.retriedPageCount)
        selection.numbers = numbers.map { Array(Set($0)).sorted() }
        if let numbers = selection.numbers { try await checkRecords(numbers) }
        var counts = RetryCounts()
        // New records may arrive as fast as old ones are retried.
        while counts.total < configuration.limits.quarantineRecordCountMax {
            let page = try await quarantine(selection)
            guard let last = page.last?.number else { return counts }
            selection.after = last
            let outcome: RetryCounts
            do throws(StorageError) {
                outcome = try await retry(page)
            } catch {
                throw CacheError(error)
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

    /// Writes what is unwritten, so that reads of the journal include it. While the journal fails, they return what it
    /// has.
    private func writeForReading() async throws(StorageError) {
        guard storageError == nil else { return }
        try await flush()
    }

    // MARK: Findings

    /// Examines the journal, its surroundings, and the state in memory.
    ///
    /// Calls that arrive during an examination of the journal share its findings.
    package func findings() async -> [JournalFinding] {
        let examination = turns.examination.join { Task { [journal] in await journal.examine() } }
        let stored = await examination.value
        turns.examination.ended(examination)
        return stored + currentFindings()
    }

    /// Returns the findings that only a running cache can make.
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
