import Logging
import TidemarkModel

/// Returns disk space that evicted and removed entities have freed.
extension SyncCache {
    /// How many steps are made when the cache closes: 8, of 32 MiB each. Later commits return the rest.
    private static let closingStepCountMax = 8

    /// Returns free space of the journal to the disk, if there is much. The first step runs at once, the others while
    /// no flush runs.
    func releaseFreeSpace() async {
        guard eviction.shrinkTask == nil, isActive, await releaseStep(isLast: false), eviction.shrinkTask == nil
        else {
            return
        }
        eviction.shrinkTask = spawn { await self.releaseInSteps() }
    }

    private func releaseInSteps() async {
        while isActive, flushes.error == nil {
            if let flushTask = flushes.task { await flushTask.value }
            await Task.yield()
            guard await releaseStep(isLast: false) else { break }
        }
        eviction.shrinkTask = nil
    }

    /// Returns free space when the cache closes, when no write or commit has to wait for it.
    func releaseAtEnd() async {
        if let task = eviction.shrinkTask { await task.value }
        for _ in 0..<SyncCache.closingStepCountMax where flushes.error == nil {
            guard await releaseStep(isLast: true) else { return }
        }
    }

    /// - Returns: True if there is more to return.
    private func releaseStep(isLast: Bool) async -> Bool {
        do throws(StorageError) {
            return try await journal.releaseFreeSpace(isLast: isLast)
        } catch {
            configuration.logger.warning("free space of the database was not given back: \(error)")
            return false
        }
    }
}
