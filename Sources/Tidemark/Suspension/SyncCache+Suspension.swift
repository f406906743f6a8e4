import Logging
import TidemarkModel

/// A pause in which the cache has no file open and holds no lock, for programs that the system suspends.
///
/// A suspended cache keeps its state, observers and inputs. What arrives for it meanwhile waits, and what was under way
/// changes memory at most.
extension SyncCache {
    /// Writes all unwritten changes, closes the database and releases its locks, until ``resume(recreating:)``.
    ///
    /// Call it when your app enters the background. Systems such as iOS end an app that is suspended while it holds a
    /// lock on a file (`0xdead10cc`).
    ///
    /// ```swift
    /// try await cache.suspend()  // in the background: the file is closed, and everything is in it
    /// try await cache.resume()  // in the foreground again
    /// ```
    ///
    /// Meanwhile reads are answered from memory. A read that needs the database, and every call that would change
    /// something, throws `.suspended` and does nothing: ``StorageError`` with this code, or ``CacheError`` with this
    /// ``CacheError/storageCode``. Input streams, timers and the outbox wait for ``resume(recreating:)`` and lose
    /// nothing. Requests to servers that are under way may end; their effects reach the database after the pause.
    ///
    /// If the cache is suspended already, this does nothing.
    ///
    /// - Throws: ``StorageError`` when the last changes could not be written. The database is closed even then; the
    ///   changes stay in memory, are not acknowledged, and are written after ``resume(recreating:)``. `.closed` after
    ///   ``close()``.
    public func suspend() async throws(StorageError) {
        await takeRestTurn()
        defer { turns.rest.release() }
        try checkStorageOpen()
        guard beginSuspending() else { return }
        // A cache with nothing to write does not wait until the journal has found everything that it stores.
        if flushes.awaitsOpening, !isAnythingUnwritten { flushes.task?.cancel() }
        var failure: StorageError?
        do throws(StorageError) { try await writeAll() } catch { failure = error }
        comeToRest()
        // Ends the pause before a failed flush is repeated. No other flush begins.
        flushes.task?.cancel()
        while let task = flushes.task { await task.value }
        if let task = eviction.shrinkTask { await task.value }
        do throws(StorageError) {
            try await journal.suspend()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    /// Opens the database of a suspended cache again, and continues everything that waited.
    ///
    /// If the cache is not suspended, this does nothing.
    ///
    /// - Parameter recreating: What to do when the database was removed meanwhile. True creates a new one with
    ///   everything that memory has; entities that only the database had are gone, and their libraries become stale.
    ///   False throws `.notFound`.
    /// - Throws: ``StorageError``; the cache stays suspended, with everything that it has in memory, and this may be
    ///   called again. `.changed` when another program has written the database: close this cache and open another one.
    ///   `.notFound`, `.locked`, `.protected` and other errors of opening; `.closed` after ``close()``.
    public func resume(recreating: Bool = false) async throws(StorageError) {
        await takeRestTurn()
        defer { turns.rest.release() }
        try checkStorageOpen()
        guard lifeCycle.isSuspended else { return }
        try await wake(recreating: recreating)
    }

    /// True from the beginning of ``suspend()`` until ``resume(recreating:)`` has opened the database again.
    public var isSuspended: Bool { !isActive && !isClosed }

    // MARK: Parts of both

    /// Opens the database again, and continues the cache's own work.
    func wake(recreating: Bool) async throws(StorageError) {
        let resumption = try await journal.resume(recreating: recreating)
        if resumption == .replaced { journalWasReplaced(because: "the database was created anew after a pause") }
        endSuspension()
        if resumption == .opening {
            flushes.waitForOpening()
        } else if flushes.awaitsOpening {
            flushes.openingEnded()
        }
        turns.activity.open()
        startFlush()
        checkMemory()
        beginApprovedEviction()
    }

    /// Waits for the lock for suspending, resuming and closing.
    func takeRestTurn() async {
        if turns.rest.takeAtOnce() { return }
        await withCheckedContinuation { turns.rest.wait($0) }
    }

    /// Returns when the cache is not suspended, or is being closed. Work of the cache's own waits here.
    func untilActive() async {
        while isSuspended { await withCheckedContinuation { turns.activity.wait($0) } }
    }

    /// Runs work of the cache's own that needs the journal, while the cache is not suspended. Work that a pause
    /// interrupts is repeated after it.
    ///
    /// - Parameter body: Work that changes nothing when it throws.
    func whileActive<Result>(
        _ body: () async throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        while true {
            await untilActive()
            do throws(StorageError) {
                return try await body()
            } catch {
                guard error.code == .suspended else { throw error }
                // A cache that is closed in a pause does not open its database again.
                try checkStorageOpen()
            }
        }
    }
}
