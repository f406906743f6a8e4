import Synchronization
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkSQLite
import TidemarkSession

/// A data file that another process writes: the message source of a read-only server.
///
/// The file is reopened after a change, at most every ``checkInterval``. A request sees the state with which it began.
actor FollowedFile: MessageSource {
    /// One state of the file. It is closed once a newer state has replaced it and its last request has ended.
    private final class Opened: Sendable {
        let cache: SyncCache
        let session: Session
        let version: SQLiteFollower.Version
        let journal: SQLiteFollower
        private let uses = Mutex((count: 0, isReplaced: false))

        init(_ cache: SyncCache, _ session: Session, _ version: SQLiteFollower.Version, _ journal: SQLiteFollower) {
            self.cache = cache
            self.session = session
            self.version = version
            self.journal = journal
        }

        func begin() { uses.withLock { $0.count += 1 } }

        /// Records the end of a request.
        ///
        /// - Returns: True if the state is no longer needed.
        func end() -> Bool {
            uses.withLock { uses in
                uses.count -= 1
                return uses.isReplaced && uses.count == 0
            }
        }

        /// Records that a newer state has replaced this one; returns true if this one is no longer needed.
        func replace() -> Bool {
            uses.withLock { uses in
                uses.isReplaced = true
                return uses.count == 0
            }
        }
    }

    /// How long a state counts as current, in milliseconds.
    private static let checkInterval: Int64 = 200

    private let path: String
    private let encryption: (any DataFileEncryption)?
    private let configuration: CacheConfiguration
    private let settings: Session.Settings
    private let clock: any CacheClock
    private let waiting = WaitingRequests()
    private var current: Opened?
    private var checkedAt: Int64 = .min
    /// The reopening in progress; at most one.
    private var opening: Task<Result<Void, StorageError>, Never>?

    init(
        path: String, encryption: (any DataFileEncryption)?, configuration: CacheConfiguration,
        settings: Session.Settings, clock: any CacheClock
    ) {
        self.path = path
        self.encryption = encryption
        self.configuration = configuration
        var settings = settings
        settings.isReadOnly = true
        settings.sendsEdits = false
        self.settings = settings
        self.clock = clock
    }

    func answer(to text: [UInt8], stream: String?) async -> [UInt8]? {
        do throws(StorageError) {
            let opened = try await begin()
            let answer = await opened.session.answer(to: text)
            await end(opened)
            return answer
        } catch {
            return Session.failure(CacheError(.storageFailed, error.description))
        }
    }

    func metrics() async -> MetricsText {
        var text = MetricsText()
        do throws(StorageError) {
            let opened = try await begin()
            text.statistics(await opened.cache.statistics())
            await end(opened)
        } catch {
            text.gauge("storage_ok", "1 while the database can be read.", 0)
        }
        return text
    }

    func storageError() async -> StorageError? {
        do throws(StorageError) {
            await end(try await begin())
            return nil
        } catch {
            return error
        }
    }

    /// Does nothing: an export shows what the writer has committed.
    func prepareExport() async throws(StorageError) {}

    /// Closes the file. Call it when no request is running.
    func close() async {
        guard let opened = current else { return }
        current = nil
        await FollowedFile.close(opened)
    }

    // MARK: States

    private func begin() async throws(StorageError) -> Opened {
        try await refresh()
        // Unreachable: a refresh that does not throw leaves a state.
        guard let current else { throw StorageError(.closed, "the server stops", advice: "ask again later") }
        current.begin()
        return current
    }

    private func end(_ opened: Opened) async {
        if opened.end() { await FollowedFile.close(opened) }
    }

    private func refresh() async throws(StorageError) {
        let now = clock.now()
        if current != nil, now - checkedAt < FollowedFile.checkInterval { return }
        let task = opening ?? Task { await self.openAnew() }
        opening = task
        let result = await task.value
        opening = nil
        checkedAt = clock.now()
        try result.get()
    }

    private func openAnew() async -> Result<Void, StorageError> {
        do throws(StorageError) {
            if let current, try await current.journal.version() == current.version { return .success(()) }
            let journal = try await SQLiteFollower.open(path: path, encryption: encryption)
            let version = try await journal.version()
            let cache = try await SyncCache.open(configuration: configuration, journal: journal, clock: clock)
            let session = Session(
                of: cache, output: NoOutput("this server only reads"), waiting: waiting, settings: settings)
            let replaced = current
            current = Opened(cache, session, version, journal)
            if let replaced, replaced.replace() { await FollowedFile.close(replaced) }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private static func close(_ opened: Opened) async {
        do throws(StorageError) {
            try await opened.cache.close()
        } catch {
            // A reader has nothing to write; the connection is closed all the same.
            return
        }
    }
}
