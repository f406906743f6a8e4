public import ServiceLifecycle
import Synchronization
public import Tidemark

/// A cache as one service of a program: fed from a descriptor if there is one, flushed and closed at the end.
///
/// ```swift
/// func run(_ cache: SyncCache, beside server: any Service, logger: Logger) async throws {
///     let group = ServiceGroup(
///         services: [try SyncCacheService(cache, fileDescriptor: 0), server],
///         gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
/// }
/// ```
///
/// Services are shut down from the last to the first: put it before those that use the cache. The end of the input does
/// not end the service: what is there is still to be read.
public struct SyncCacheService: Service {
    private let cache: SyncCache
    private let input: (any LineInput)?

    /// A service that only closes the cache at the end.
    public init(_ cache: SyncCache) {
        self.cache = cache
        input = nil
    }

    /// A service that applies the event lines of a descriptor, which stays the caller's to close.
    ///
    /// - Throws: ``Tidemark/InputError`` when the process has no descriptor left.
    public init(_ cache: SyncCache, fileDescriptor: Int32) throws(InputError) {
        self.init(cache, input: try DescriptorInput(fileDescriptor))
    }

    package init(_ cache: SyncCache, input: any LineInput) {
        self.cache = cache
        self.input = input
    }

    /// Runs until the program shuts down or the task is cancelled, and closes the cache then.
    ///
    /// Shutting down in the middle of the input stops between two batches. Gaps stay open, for the next run to fill;
    /// when the input ended by itself they were given up.
    ///
    /// - Throws: ``Tidemark/InputError`` when the input cannot be read on; ``Tidemark/StorageError`` when what is stored
    ///   cannot be read, or the last changes could not be written.
    public func run() async throws {
        do {
            try await feed()
            try await gracefulShutdown()
        } catch is CancellationError {
            // As good a reason to end as a shutdown.
        } catch {
            await closeAfterFailure()
            throw error
        }
        try await cache.close()
    }

    private func feed() async throws {
        guard let input else { return }
        let reading = Reading(input)
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                let stream = try await IngestStream(of: input, into: cache)
                while try await stream.next() {}
                if !reading.isStopped { try await stream.finish() }
            } onGracefulShutdown: {
                reading.stop()
            }
        } onCancel: {
            reading.stop()
        }
    }

    /// The failure that is under way says more than a second one; that one is logged by the cache.
    private func closeAfterFailure() async {
        do throws(StorageError) { try await cache.close() } catch { return }
    }
}

/// Tells the end of an input from the end of reading it.
private final class Reading: Sendable {
    private let input: any LineInput
    private let wasStopped = Atomic(false)

    init(_ input: any LineInput) {
        self.input = input
    }

    var isStopped: Bool { wasStopped.load(ordering: .acquiring) }

    func stop() {
        wasStopped.store(true, ordering: .releasing)
        input.stop()
    }
}
