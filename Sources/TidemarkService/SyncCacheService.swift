public import ServiceLifecycle
import Synchronization
public import Tidemark

/// A cache as one service of a program: it applies event lines of a descriptor, if one is given, and closes the cache
/// at the end.
///
/// ```swift
/// let service = try SyncCacheService(cache, fileDescriptor: 0)  // standard input
/// try await service.run()  // until shutdown or cancellation
/// ```
///
/// Add it to a `ServiceGroup` before the services that use the cache: services are shut down from the last to the
/// first. The end of the input does not end the service, because the cache can still be read.
public struct SyncCacheService: Service {
    private let cache: SyncCache
    private let input: (any LineInput)?

    /// Makes a service that only closes the cache at the end.
    public init(_ cache: SyncCache) {
        self.cache = cache
        input = nil
    }

    /// Makes a service that applies the event lines of a descriptor, which the caller closes.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - fileDescriptor: A descriptor that is open for reading.
    /// - Throws: ``/Tidemark/InputError`` when the process has no free descriptor.
    public init(_ cache: SyncCache, fileDescriptor: Int32) throws(InputError) {
        self.init(cache, input: try DescriptorInput(fileDescriptor))
    }

    package init(_ cache: SyncCache, input: any LineInput) {
        self.cache = cache
        self.input = input
    }

    /// Runs until the program shuts down or the task is cancelled, and then closes the cache.
    ///
    /// A shutdown in the middle of the input stops between two batches. Gaps stay open, so that the next run can close
    /// them. When the input has ended by itself, missing numbers were declared lost.
    ///
    /// - Throws: ``/Tidemark/InputError`` when the input cannot be read; ``/Tidemark/StorageError`` when stored data
    ///   cannot be read, or the last changes could not be written.
    public func run() async throws {
        do {
            try await feed()
            try await gracefulShutdown()
        } catch is CancellationError {
            // Cancellation ends the service as a shutdown does.
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

    /// Closes the cache after a failure. The caller throws the first failure; the cache logs a second one.
    private func closeAfterFailure() async {
        do throws(StorageError) { try await cache.close() } catch { return }
    }
}

/// The reading of an input. It distinguishes the end of the input from a stop.
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
