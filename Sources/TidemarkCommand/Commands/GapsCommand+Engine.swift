import Tidemark
import TidemarkModel
import TidemarkSQLite

/// The only file of this command that uses the engine.
extension GapsCommand {
    func healNow() async throws {
        guard let source = try source() else { return }
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(journal: journal, upstream: source)
        await cache.heal(library: scope.library)
        try await cache.close()
    }

    private func source() throws -> (any Upstream)? {
        if case .file(let path) = upstream, !FileUpstream(path: path).isReadable {
            throw Failure(
                .noInput, "not_found", "cannot read \(path)", place: path, outcome: "no upstream was asked",
                advice: "give the path of a log of event lines")
        }
        return try upstream?.open(defaultLibrary: "", limits: Limits())
    }

    func rewindNow() async throws {
        guard let library = scope.library, let target else { return }
        let cache = try await SyncCache.open(journal: try await database.openJournal())
        do {
            try await cache.rewind(library: library, to: EventSequence(target))
        } catch let error as CacheError {
            try await cache.close()
            throw Failure(
                .usage, error.code.rawValue, error.message, place: database.path, outcome: "nothing changed",
                advice: "see tidemark gaps --db \(database.path)")
        }
        try await cache.close()
    }
}
