import Foundation
import Logging
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// A cache over a file in a folder of its own, which the tests suspend and look at from outside.
struct SuspensionFixture {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("cache.db")
    }

    func open(
        layout: EntityLayout = .rows, memoryByteCountMax: Int = 256 << 20, upstream: (any Upstream)? = nil,
        queryUpstream: (any QueryUpstream)? = nil, mutationUpstream: (any MutationUpstream)? = nil,
        clock: any CacheClock = SystemClock()
    ) async throws -> SyncCache {
        var journal = SQLiteJournal.Configuration(path: path)
        journal.layout = layout
        return try await open(
            journal, memoryByteCountMax: memoryByteCountMax, upstream: upstream, queryUpstream: queryUpstream,
            mutationUpstream: mutationUpstream, clock: clock)
    }

    func open(
        _ journal: SQLiteJournal.Configuration, memoryByteCountMax: Int = 256 << 20, upstream: (any Upstream)? = nil,
        queryUpstream: (any QueryUpstream)? = nil, mutationUpstream: (any MutationUpstream)? = nil,
        clock: any CacheClock = SystemClock()
    ) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.memoryByteCountMax = memoryByteCountMax
        return try await SyncCache.open(
            configuration: configuration, journal: try await SQLiteJournal.open(journal), upstream: upstream,
            queryUpstream: queryUpstream, mutationUpstream: mutationUpstream, clock: clock)
    }

    /// The paths below the folder that this process has open; empty on systems that do not tell.
    var openFiles: [String] {
        #if os(Linux)
            let manager = FileManager.default
            let numbers = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return numbers.compactMap { try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
                .filter { $0.hasPrefix(folder.path + "/") }.sorted()
        #else
            return []
        #endif
    }

    /// Takes every lock that a writer of the database would need, and releases them.
    ///
    /// - Returns: True if all of them were free.
    func isUnlocked() async throws -> Bool {
        let descriptor = Foundation.open(path + "-lock", O_RDWR)
        guard descriptor >= 0 else { return false }
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        close(descriptor)
        return isFree
    }

    /// What another process would read in the file.
    func stored(_ id: String) throws -> String? {
        let reader = try SQLiteReader(path: path)
        guard case .found(let found) = try reader.entity(EntityKey(type: "t", id: ByteString(id))) else { return nil }
        return String(decoding: found.payload, as: UTF8.self)
    }
}

extension SyncCache {
    /// Applies a line that stores an entity of type `t`.
    func change(_ id: String, _ n: Int) async throws {
        try await ingest(Array(EventLine.change(#"{"id":"\#(id)","n":\#(n)}"#, type: "t").utf8))
    }

    /// The JSON of an entity of type `t`; nil when there is none.
    func value(_ id: String) async throws(StorageError) -> String? {
        guard case .found(let found) = try await entity(EntityKey(type: "t", id: ByteString(id))) else { return nil }
        return String(decoding: found.bytes, as: UTF8.self)
    }
}

/// The code of the error that a call throws; nil when it throws none.
func storageCode(_ call: () async throws -> Void) async -> StorageError.Code? {
    do {
        try await call()
        return nil
    } catch let error as StorageError {
        return error.code
    } catch let error as CacheError {
        return error.storageCode
    } catch {
        return nil
    }
}
