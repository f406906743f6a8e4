import TidemarkModel
import TidemarkStore

/// The position up to which a library's log is on the disk.
package struct DurablePlace: Hashable, Sendable {
    package var library: ByteString
    /// The epoch of the log; empty when the log names none.
    package var epoch: ByteString
    package var sequence: EventSequence

    package init(library: ByteString, epoch: ByteString, sequence: EventSequence) {
        self.library = library
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension SyncCache {
    /// Notifies `body` from now on, after each commit, of the libraries whose durable cursors moved; one observer at a
    /// time.
    ///
    /// - Parameter body: Called on the cache's executor; it must not wait.
    package func observeDurability(_ body: @escaping @Sendable ([DurablePlace]) -> Void) {
        progress.observeDurability(body, at: currentPlaces())
    }

    /// Returns when a line and all lines before it are on the disk. Waits also for an event that is held behind a gap.
    ///
    /// - Throws: ``StorageError`` when the journal failed `attemptCountMax` times in a row; attempts continue.
    package func flush(through line: Int64, of input: InputID) async throws(StorageError) {
        while true {
            // A flush holds only the changes that were applied before it began, so this is read before.
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

    /// Tells whether a line, or one before it, waits for a missing event.
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
    /// Returns a library's status; `cold` when the library is unknown.
    package func status(of library: ByteString) -> LibraryStatus {
        state.status(named: library)
            ?? LibraryStatus(library: library, epoch: "", cursor: nil, phase: .cold, lost: [])
    }

    /// Notes whether the source of events can be reached, for a source that can tell. While it cannot, libraries with a
    /// cursor are in the phase `gap`, and everything else goes on.
    ///
    /// - Source: Protocol/sequencing.md.
    package func sourceBecame(reachable isReachable: Bool) {
        state.noteSource(isReachable: isReachable, at: clock.now())
        distribute()
    }

    /// Notes that events can disappear without a trace from the log with this epoch, which is followed from now on; nil
    /// when the log that is followed shows what is missing.
    ///
    /// - Source: Protocol/jetstream.md, numbers.
    package func sourceIsTraceless(_ epoch: ByteString?) {
        state.noteTraceless(epoch)
        scheduleFlush()
    }
}
