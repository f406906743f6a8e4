import TidemarkModel
import TidemarkStore

/// How far a library's log is on the disk.
package struct DurablePlace: Hashable, Sendable {
    /// The library.
    package var library: ByteString
    /// The epoch of the log; empty when the log has no name.
    package var epoch: ByteString
    /// The durable cursor.
    package var sequence: EventSequence

    package init(library: ByteString, epoch: ByteString, sequence: EventSequence) {
        self.library = library
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension SyncCache {
    /// Calls `body` after each commit with the libraries whose durable cursors moved. There is one observer: a second
    /// call replaces the first one's.
    ///
    /// - Parameter body: Called on the cache's executor; it must not block.
    package func observeDurability(_ body: @escaping @Sendable ([DurablePlace]) -> Void) {
        progress.observeDurability(body, at: currentPlaces())
    }

    /// Returns when a line and all lines before it are on the disk. Also waits for an event that is held behind a gap.
    ///
    /// - Throws: ``StorageError`` when the journal failed `attemptCountMax` times in a row. The cache keeps trying.
    package func flush(through line: Int64, of input: InputID) async throws(StorageError) {
        while true {
            // A flush contains only changes that were applied before it began, so this is read first.
            let wasHeld = isHeld(line, of: input)
            try await writeAll()
            guard wasHeld, !isClosed else { return }
            if !isHeld(line, of: input) {
                continue
            } else if let reconcile = upstreamRequests.first {
                await reconcile.value
            } else if let timer = timers.gap {
                await timer.value
            } else {
                return
            }
        }
    }

    /// Returns true if the line, or one before it, waits for a missing event.
    private func isHeld(_ line: Int64, of input: InputID) -> Bool {
        state.firstHeldLine(of: input).map { $0 <= line } ?? false
    }

    /// Returns the current position of each library; empty without an observer.
    func places() -> [DurablePlace] {
        progress.observesDurability ? currentPlaces() : []
    }

    private func currentPlaces() -> [DurablePlace] {
        state.statuses.compactMap { status in
            status.cursor.map { DurablePlace(library: status.library, epoch: status.epoch, sequence: $0) }
        }
    }
}

extension SyncCache {
    /// Returns a library's status; the phase is `cold` when the library is unknown.
    package func status(of library: ByteString) -> LibraryStatus {
        state.status(named: library)
            ?? LibraryStatus(library: library, epoch: "", cursor: nil, phase: .cold, lost: [])
    }

    /// Records whether the source of events can be reached, for a source that knows. While it cannot, libraries with a
    /// cursor are in the phase `gap`; nothing else changes.
    ///
    /// - Source: Protocol/sequencing.md.
    package func sourceBecame(reachable isReachable: Bool) {
        state.noteSource(isReachable: isReachable, at: clock.now())
        distribute()
    }

    /// Records whether events can disappear without a trace from the log that is followed from now on.
    ///
    /// - Parameter epoch: The epoch of a log from which they can; nil when the log shows what is missing.
    /// - Source: Protocol/jetstream.md, numbers.
    package func sourceIsTraceless(_ epoch: ByteString?) {
        state.noteTraceless(epoch)
        scheduleFlush()
    }
}
