import Logging
import TidemarkModel

/// Returns space to the disk that evicted and removed entities have freed.
extension SyncCache {
    /// The number of steps when the cache closes: 8, of 32 MiB each. The rest is returned with the next commits.
    private static let closingStepCountMax = 8

    /// Checks whether the journal has much free space. The first step runs at once, others when no flush runs.
    func giveBackFree() async {
        guard eviction.shrinkTask == nil, !isClosed, await giveBackStep(isLast: false), eviction.shrinkTask == nil
        else {
            return
        }
        eviction.shrinkTask = spawn { await self.giveBackInSteps() }
    }

    private func giveBackInSteps() async {
        while !isClosed, flushes.error == nil {
            if let flushTask { await flushTask.value }
            await Task.yield()
            guard await giveBackStep(isLast: false) else { break }
        }
        eviction.shrinkTask = nil
    }

    /// Returns free space when the cache closes: no more writes come, and nothing waits for the next commit.
    func giveBackAtEnd() async {
        if let task = eviction.shrinkTask { await task.value }
        for _ in 0..<SyncCache.closingStepCountMax where flushes.error == nil {
            guard await giveBackStep(isLast: true) else { return }
        }
    }

    /// - Returns: Whether there is more to return.
    private func giveBackStep(isLast: Bool) async -> Bool {
        do throws(StorageError) {
            return try await journal.giveBackFree(isLast: isLast)
        } catch {
            configuration.logger.warning("free space of the database was not given back: \(error)")
            return false
        }
    }
}
