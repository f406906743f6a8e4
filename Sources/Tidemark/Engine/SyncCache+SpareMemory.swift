import CHeap
import TidemarkModel

/// Memory that only writing needs: pages of the database, buffers that were freed and that the process still holds.
extension SyncCache {
    /// Gives back memory that the cache can do without; what it holds stays. For when the system warns that memory is short.
    ///
    /// The next writes take some of it again, and are slower by a few milliseconds.
    public func releaseSpareMemory() async {
        lineDecoder = nil
        pool.removeAll()
        await journal.releaseMemory()
        tidemark_heap_trim()
    }

    /// Sees to it that spare memory is given back once nothing was written for ``CacheConfiguration/spareMemoryInterval``.
    func scheduleMemoryRelease() {
        guard let interval = configuration.spareMemoryInterval, memoryTimer == nil, !isClosed else { return }
        let commitCount = commitCount
        memoryTimer = spawn { [weak self, clock] in
            do { try await clock.sleep(milliseconds: interval) } catch { return }
            await self?.memoryTimerFired(commitCount)
        }
    }

    private func memoryTimerFired(_ commitCount: Int) async {
        memoryTimer = nil
        guard commitCount == self.commitCount, flushTask == nil else { return scheduleMemoryRelease() }
        await releaseSpareMemory()
    }
}
