import CHeap
import TidemarkModel

/// Frees memory that only writing needs: pages of the database, and freed buffers that the process still holds.
extension SyncCache {
    /// Frees memory that the cache does not need now; its contents stay. Call it when the system warns that memory is
    /// short.
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
