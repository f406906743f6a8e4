import Observation
import Photos
import Tidemark
import TidemarkModel

/// The photos of an app, for its views: a list that events keep up to date, edits that wait for the server, conflicts,
/// and what is missing.
///
/// The app opens a cache, makes a library of it, and tells it when it enters the background and the foreground.
@MainActor @Observable public final class PhotoLibrary {
    /// An edit that the server has refused. The user keeps it or gives it up.
    public struct Conflict: Identifiable, Hashable, Sendable {
        /// The id of the edit.
        public let id: String
        /// Why the server refused it.
        public let reason: String
    }

    /// How the photos relate to those of the server.
    public enum Freshness: Hashable, Sendable {
        /// The photos are those of the server.
        case current
        /// Events are missing, and the server is asked for them.
        case waiting
        /// Events are lost: photos may be missing, or older than the server's.
        case incomplete
    }

    /// The photos, the best ones first.
    public let photos: QueryModel<Photo>
    /// The number of edits that the server has not confirmed.
    public private(set) var pendingCount = 0
    /// The edits that the server has refused.
    public private(set) var conflicts: [Conflict] = []
    /// How the photos relate to those of the server.
    public private(set) var freshness = Freshness.current
    /// The last error of an edit, or of the file; nil when the last one succeeded.
    public private(set) var failure: String?

    private let cache: SyncCache
    /// Reads the events of the server; nil while the library is stopped.
    @ObservationIgnored private var reading: Task<Void, Never>?

    /// Makes a library of a cache that was opened with ``BestPhotos`` and the server's requests.
    public init(_ cache: SyncCache) throws {
        self.cache = cache
        photos = QueryModel(try cache.observe(Photo.self, method: BestPhotos.method))
    }

    deinit { reading?.cancel() }

    // MARK: Events

    /// Shows the photos, and applies the events of a server as they arrive.
    public func start(_ lines: AsyncStream<[UInt8]>) {
        photos.start()
        reading = Task { [weak self] in
            for await line in lines { await self?.apply(line) }
        }
    }

    private func apply(_ line: [UInt8]) async {
        do {
            try await cache.ingest(line)
        } catch  where error.code == .suspended {
            // The number of the event is missing after the pause, so the cache asks the server for it.
        } catch {
            failure = error.message
        }
        await update()
    }

    /// Reads what changes beside the list: edits, conflicts and missing events.
    public func update() async {
        let statuses = await cache.outboxStatuses()
        pendingCount = statuses.count
        conflicts = statuses.filter { $0.state == .failed }
            .map { Conflict(id: $0.pendingID.description, reason: $0.failure?.message.description ?? "") }
        freshness = await cache.libraries().reduce(.current) { freshness, status in
            if !status.lost.isEmpty { return .incomplete }
            return status.phase == .gap ? .waiting : freshness
        }
    }

    // MARK: Edits

    /// Renames a photo: at once on the screen, and on the server as soon as it can be reached.
    public func rename(_ photo: Photo, to name: String) async {
        await perform {
            var request = MutationRequest(
                method: DemoServer.rename,
                input: ["id": .string(photo.id), "name": .string(name), "from": .string(photo.name)])
            request.key = ByteString(photo.id)
            try await self.cache.optimistically(sending: request) { @Sendable changes in
                try changes.patch(Photo.self, id: photo.id, ["name": name])
            }
        }
    }

    /// Gives up a refused edit: the photo is shown as the server has it.
    public func giveUp(_ conflict: Conflict) async {
        await perform { try await self.edit(conflict)?.rollback() }
    }

    /// Sends a refused edit again.
    public func sendAgain(_ conflict: Conflict) async {
        await perform { try await self.edit(conflict)?.retry() }
    }

    private func edit(_ conflict: Conflict) async -> OptimisticEdit? {
        await cache.pendingEdits().first { $0.id == conflict.id }
    }

    private func perform(_ work: () async throws -> Void) async {
        do {
            try await work()
            failure = nil
        } catch {
            failure = "\(error)"
        }
        await update()
    }

    // MARK: The life of an app

    /// Call it when the app enters the background: everything is written, and the file is closed.
    public func enterBackground() async {
        await perform { try await self.cache.suspend() }
    }

    /// Call it when the app is active again.
    public func enterForeground() async {
        await perform {
            try await self.cache.resume()
            await self.cache.heal()
        }
    }

    /// Call it when the system warns that memory is short.
    public func relieveMemory() async { await cache.relieveMemory() }

    /// Stops, and closes the cache.
    public func close() async throws {
        reading?.cancel()
        photos.stop()
        try await cache.close()
    }
}
