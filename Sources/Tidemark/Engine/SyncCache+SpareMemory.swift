import CHeap
import Logging
import TidemarkModel
import TidemarkStore

/// Frees memory that only writing needs: pages of the database, and freed buffers that the process still holds.
extension SyncCache {
    /// Frees memory that the cache does not need now; its entities stay in memory. ``relieveMemory(toByteCount:)``
    /// frees more.
    ///
    /// ```swift
    /// await cache.releaseSpareMemory()
    /// ```
    ///
    /// The next writes take some of the memory again, and are slower by a few milliseconds.
    public func releaseSpareMemory() async {
        inputs.releaseDecoder()
        pool.removeAll()
        await journal.releaseMemory()
        tidemark_heap_trim()
    }

    /// Evicts entities from memory that the database has, drops the lists that are kept for their next readers, and
    /// frees spare memory. Call it when the system warns that memory is short.
    ///
    /// ```swift
    /// let byteCount = await cache.relieveMemory()
    /// print("entities still take \(byteCount) bytes")
    /// ```
    ///
    /// Reads load evicted entities again. Observed entities, those of pending edits and of
    /// ``CacheConfiguration/diskExcludedTypes``, and those of calls under way stay in memory. Unwritten changes are
    /// written first; if that fails or the cache is suspended, they stay. The delegate of
    /// ``CacheConfiguration/eviction`` is not asked, because nothing is evicted from the database.
    ///
    /// - Parameter byteCount: How many bytes entities may take afterwards. The most recently used ones stay.
    /// - Returns: How many bytes entities take afterwards.
    /// - Complexity: O(entities in memory), in slices of some 0.4 ms between which the cache does other work.
    @discardableResult
    public func relieveMemory(toByteCount byteCount: Int = 0) async -> Int {
        if isActive {
            do throws(StorageError) {
                try await writeAll()
            } catch {
                configuration.logger.warning("unwritten entities stay in memory: \(error)")
            }
        }
        state.dropKeptLists()
        var unscannedCount = state.residentCount
        while !isClosed, await relieveOnce(&unscannedCount, toByteCount: byteCount) { await Task.yield() }
        await releaseSpareMemory()
        return state.memoryByteCount
    }

    /// Evicts a slice of entities that no caller has just loaded.
    ///
    /// - Returns: True if there is more to do.
    private func relieveOnce(_ unscannedCount: inout Int, toByteCount byteCount: Int) async -> Bool {
        await takeLoadTurn()
        defer { turns.loads.release() }
        guard !turns.loads.isLoading else { return false }
        return evictSlice(&unscannedCount, toByteCount: byteCount, keepsUnstored: true)
    }

    /// Returns freed memory of the process to the system. Takes a few milliseconds, off the actor.
    package nonisolated func trimHeap() { tidemark_heap_trim() }

    /// Schedules ``releaseSpareMemory()`` for the time when nothing was written for
    /// ``CacheConfiguration/spareMemoryInterval``.
    func scheduleMemoryRelease() {
        guard let interval = configuration.spareMemoryInterval?.wholeMilliseconds, timers.spareMemory == nil, !isClosed
        else { return }
        let commitCount = flushes.commitCount
        timers.spareMemory = spawn { [weak self, clock] in
            do { try await clock.sleep(milliseconds: interval) } catch { return }
            await self?.memoryTimerFired(commitCount)
        }
    }

    private func memoryTimerFired(_ commitCount: Int) async {
        timers.spareMemory = nil
        guard commitCount == flushes.commitCount, !flushes.isUnderWay else { return scheduleMemoryRelease() }
        await releaseSpareMemory()
    }
}
