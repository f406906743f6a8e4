import Logging
import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// Serves the scopes of one cache: it opens and evaluates them, gives them every change, and writes lines to streams.
///
/// It is confined to the cache's actor; see ``CacheWing``. What a scope shows and what a reader is sent is decided by
/// ``ScopeSet``, a pure value; this class brings entities to it, stores its logs, and takes lines to streams. A line is
/// given to its stream once the log that it is from is on the disk, so a crash never leaves a client with a number that
/// the log does not know.
///
/// - Source: Protocol/scopes.md.
package final class ScopeEngine: CacheWing {
    let limits: ScopeLimits
    let serving: ScopeServingLimits
    let secret: ScopeSecret
    /// The key of the secret, to store it again in a journal that was created anew.
    let secretKey: [UInt8]
    /// The file in use.
    var file: ScopeFile
    /// The libraries of the scopes in the file, and those that still have streams.
    var libraries: [ByteString: ScopeLibrary] = [:]
    /// The streams by number, at most ``ScopeServingLimits/streamCountMax``.
    var streams: [Int: ServedStream] = [:]
    /// How many streams each subject has.
    var streamCounts: [ByteString: Int] = [:]
    private var lastStream = 0
    /// Counts by name of scope, at most as many as there were scopes in files.
    var tallies: [ByteString: ScopeTally] = [:]
    var random = SystemRandomNumberGenerator()

    // MARK: Storing

    /// The stored logs by the library id of their scope; pruned at the opening.
    var index: [ByteString: StoredLogEntry]
    /// The logs of scopes that were released before they were on the disk.
    var parting: [ByteString: PartingLog] = [:]
    /// Removals and entries for the next flush.
    var unwritten: [RecordChange] = []
    /// The edits that were handed on.
    var ledger = EditLedger()
    /// The scopes with something to store.
    var dirty: Set<ScopeHandleKey> = []
    /// How many flushes were taken, and the last one that is on the disk.
    var takenCount = 0
    var committedCount = 0
    /// The streams with lines that wait for the disk.
    var waiting: Set<Int> = []

    init(
        _ file: ScopeFile, key: [UInt8], index: [ByteString: StoredLogEntry], limits: ScopeLimits,
        serving: ScopeServingLimits
    ) {
        self.file = file
        self.limits = limits
        self.serving = serving
        self.index = index
        secretKey = key
        let code = MessageCode(key: key)
        secret = ScopeSecret { code.bytes(of: $0) }
    }

    /// Serves the scopes of a file from a cache.
    ///
    /// - Parameters:
    ///   - cache: An open cache that has no scopes yet.
    ///   - limits: The bounds of scopes and of their history.
    /// - Returns: False if the cache has scopes already; nothing was changed then.
    /// - Throws: ``CacheError`` `storageFailed`, or `limitExceeded` if the rules name too many types.
    @discardableResult
    package static func attach(
        to cache: SyncCache, _ file: ScopeFile, limits: ScopeLimits = ScopeLimits(),
        serving: ScopeServingLimits = ScopeServingLimits()
    ) async throws(CacheError) -> Bool {
        guard await !cache.hasWing(ScopeEngine.self) else { return false }
        let stored = try await StoredScopes.read(from: cache)
        let isAttached = await cache.attach {
            ScopeEngine(file, key: stored.key, index: stored.index, limits: limits, serving: serving)
        }
        guard isAttached else { return false }
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(CacheError) in
            try engine.begin(in: cache)
            engine.restore(stored.edits, in: cache)
        }
        return true
    }

    /// 1: events are applied one at a time while there are scopes, since each is a unit of its own.
    package var observerCount: Int { 1 }

    /// True if some log changed since the last flush was taken.
    package var hasUnwrittenRecords: Bool {
        !dirty.isEmpty || !unwritten.isEmpty || parting.values.contains { !$0.isTaken }
    }

    private func begin(in cache: isolated SyncCache) throws(CacheError) {
        for library in try follow(file, in: cache) { libraries[library.name] = library }
        cache.spawn { await self.prepare(in: cache) }
    }

    /// The libraries of the scopes of a file.
    func libraryNames(of file: ScopeFile, in cache: isolated SyncCache) -> [ByteString] {
        let standard = cache.configuration.defaultLibrary
        return Set(file.scopes.values.map { $0.library ?? standard }).sorted()
    }

    /// Follows the types that the rules of a file read, in the libraries that are served and in others.
    ///
    /// - Returns: The libraries that are not served yet, in the order of their names.
    /// - Throws: ``CacheError`` `limitExceeded` if its rules name too many libraries or types; then the types of the
    ///   file in use are followed, and no others.
    func follow(_ new: ScopeFile, in cache: isolated SyncCache) throws(CacheError) -> [ScopeLibrary] {
        let standard = cache.configuration.defaultLibrary
        var begun: [ScopeLibrary] = []
        do throws(CacheError) {
            for name in libraryNames(of: new, in: cache) {
                let part = new.part(of: name, defaultLibrary: standard)
                if let known = libraries[name] {
                    try known.follow(part, in: cache)
                    continue
                }
                let library = ScopeLibrary(
                    name, aliases: cache.typeAliases, ScopeSet(part, secret, types: cache.typeAliases, limits: limits))
                try library.follow(part, in: cache)
                library.scopes.isStale = ScopeLibrary.isStale(cache.status(of: name))
                begun.append(library)
            }
        } catch {
            for library in begun { library.unfollowAll(in: cache) }
            for library in libraries.values {
                library.unfollow(allBut: file.part(of: library.name, defaultLibrary: standard), in: cache)
            }
            throw error
        }
        return begun
    }

    /// Reads what the rules need, so that the first request is as cheap as any.
    func prepare(in cache: isolated SyncCache) async {
        for library in libraries.values.sorted(by: { $0.name < $1.name }) {
            do throws(CacheError) {
                try await fill(nil, of: library, in: cache)
            } catch {
                cache.configuration.logger.error("the rules of scopes cannot be read yet: \(error)")
            }
        }
    }

    func nextStream() -> Int {
        lastStream += 1
        return lastStream
    }

    // MARK: Changes

    /// Collects a change.
    package func note(_ change: ChangeRecord) {
        switch change {
        case .followed(let change):
            guard change.old.base != change.new.base else { return }
            libraries[change.key.library]?.changes.append(
                ViewChange(
                    ViewKey(type: change.key.type, id: change.key.id), from: ViewEntityState(change.old.base),
                    to: ViewEntityState(change.new.base)))
        case .lost(_, let library): libraries[library]?.isLost = true
        case .library(let status): libraries[status.library]?.scopes.isStale = ScopeLibrary.isStale(status)
        case .settled(let mutationID, let library): libraries[library]?.settled = mutationID
        case .evicted, .query, .entity, .absent, .renamed: break
        }
    }

    /// Gives the collected changes to the scopes as one unit, and writes to their streams.
    package func distribute(in cache: isolated SyncCache) {
        for library in libraries.values.sorted(by: { $0.name < $1.name }) { distribute(library, in: cache) }
    }

    private func distribute(_ library: ScopeLibrary, in cache: isolated SyncCache) {
        let changes = library.changes
        let mutationID = library.settled
        library.changes = []
        library.settled = nil
        guard !changes.isEmpty || library.isLost || mutationID != nil else { return }
        let origin = mutationID.flatMap { library.origins.take($0) }
        let touched = library.scopes.apply(
            changes, settling: origin?.origin(in: library), now: second(in: cache), ScopeEntities(library, in: cache))
        if library.isLost || !library.unreadable.isEmpty { return rebuild(library, in: cache) }
        for handle in touched { deliver(handle, of: library, in: cache) }
    }

    /// Writes what a scope has to its streams.
    func deliver(_ handle: ScopeHandle, of library: ScopeLibrary, in cache: isolated SyncCache) {
        guard let scope = library.scope(handle) else { return }
        guard library.scopes.isReady(handle) else {
            // It was never open before, so nobody has a stream of it.
            return
        }
        markDirty(scope)
        for id in scope.streamIDs.sorted() {
            if let stream = streams[id] { pump(stream, in: cache) }
        }
    }

    /// The time in seconds.
    func second(in cache: isolated SyncCache) -> Int64 { cache.now / 1_000 }

    // MARK: Observers of the cache

    /// Does nothing: streams have queues of their own.
    package func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache) {}

    /// False: streams are not observers.
    package func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool { false }

    /// Does nothing: streams are not observers.
    package func detach(_ sink: any ObserverSink, in cache: isolated SyncCache) {}

    /// Does nothing: scopes fetch nothing.
    package func failFetches(_ reason: String, in cache: isolated SyncCache) async {}
}
