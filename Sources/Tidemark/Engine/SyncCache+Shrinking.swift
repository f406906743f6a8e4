import Logging
import TidemarkModel

/// Gives space on the disk back that is free since entities went.
extension SyncCache {
    /// Steps when the cache closes: 8, of 32 MiB each. What is left goes with the next commits.
    private static let closingStepCountMax = 8

    /// Looks whether a journal has much that is free. The first step is done at once, others when nobody writes.
    func giveBackFree() async {
        guard shrinkTask == nil, !isClosed, await giveBackStep(isLast: false), shrinkTask == nil else { return }
        shrinkTask = spawn { await self.giveBackInSteps() }
    }

    private func giveBackInSteps() async {
        while !isClosed, storageError == nil {
            if let flushTask { await flushTask.value }
            await Task.yield()
            guard await giveBackStep(isLast: false) else { break }
        }
        shrinkTask = nil
    }

    /// Nothing is written any more, and nobody waits for the next commit.
    func giveBackAtEnd() async {
        if let shrinkTask { await shrinkTask.value }
        for _ in 0..<SyncCache.closingStepCountMax where storageError == nil {
            guard await giveBackStep(isLast: true) else { return }
        }
    }

    /// - Returns: Whether there is more.
    private func giveBackStep(isLast: Bool) async -> Bool {
        do throws(StorageError) {
            return try await journal.giveBackFree(isLast: isLast)
        } catch {
            configuration.logger.warning("free space of the database stays with it: \(error)")
            return false
        }
    }
}
