import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// The scopes of one library, with what is known of their state.
///
/// It belongs to the engine, and is confined to the cache's actor.
final class ScopeLibrary {
    /// A followed type.
    struct Followed {
        let type: LibraryType
        /// True once its entities are where rules can read them.
        var isLoaded = false
    }

    let name: ByteString
    /// The cache's own names of types, by their other names.
    let aliases: [ByteString: ByteString]
    var scopes: ScopeSet
    /// The followed types by name; the limits of a file bound them.
    private(set) var followed: [ByteString: Followed] = [:]
    /// The scopes that somebody has, by their library id; ``ScopeLimits/heldScopeCountMax`` bounds them.
    private(set) var served: [ByteString: ServedScope] = [:]
    /// The same by their handle, and those that a changed file replaced while they still have streams.
    private var byHandle: [ScopeHandle: ServedScope] = [:]
    /// Whose edits are under way.
    var origins = EditOrigins()

    // MARK: The step

    /// The changes since the last distribution; a unit bounds them.
    var changes: [ViewChange] = []
    /// The `mutation_id` of the event since the last distribution.
    var settled: ByteString?
    /// The entities that could not be read in the middle of a step; the scopes are wrong until they are.
    var unreadable: Set<ViewKey> = []
    /// The entities that could not be read even then, because their rows are damaged. They count as unknown.
    var lost: Set<ViewKey> = []
    /// True if the last values of changed entities are not known, so that everything has to be evaluated anew.
    var isLost = false

    // MARK: Filling

    /// True while a task evaluates rules.
    var isFilling = false
    /// Those who wait until they may.
    var fillWaiters: [CheckedContinuation<Void, Never>] = []
    /// True while everything is being evaluated anew.
    var isRebuilding = false
    /// Those who wait until that is done.
    var rebuildWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ name: ByteString, aliases: [ByteString: ByteString], _ scopes: ScopeSet) {
        self.name = name
        self.aliases = aliases
        self.scopes = scopes
    }

    /// True if a library is known to lack events.
    static func isStale(_ status: LibraryStatus) -> Bool { status.phase == .stale || !status.lost.isEmpty }

    // MARK: Types

    /// Follows the types that the rules of a file read.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if there are too many libraries or types; what
    ///   was followed before stays so.
    func follow(_ file: ScopeFile, in cache: isolated SyncCache) throws(CacheError) {
        let names = ownTypes(of: file)
        var new: [(name: ByteString, type: LibraryType)] = []
        for name in names.sorted() where followed[name] == nil {
            guard let type = cache.follow(type: name, in: self.name) else {
                for (_, type) in new { cache.unfollow(type) }
                throw CacheError(
                    .limitExceeded, "there are too many libraries or types: the file of scopes names one more")
            }
            new.append((name, type))
        }
        for (name, type) in new {
            cache.keepWhole(type)
            followed[name] = Followed(type: type)
        }
    }

    /// Ends following all other types.
    func unfollow(allBut file: ScopeFile, in cache: isolated SyncCache) {
        unfollow(allBut: ownTypes(of: file), in: cache)
    }

    /// Ends following every type.
    func unfollowAll(in cache: isolated SyncCache) { unfollow(allBut: [], in: cache) }

    private func unfollow(allBut names: Set<ByteString>, in cache: isolated SyncCache) {
        for (name, known) in followed where !names.contains(name) {
            cache.endKeepingWhole(known.type)
            cache.unfollow(known.type)
            followed[name] = nil
        }
    }

    private func ownTypes(of file: ScopeFile) -> Set<ByteString> { Set(file.types.map { aliases[$0] ?? $0 }) }

    func noteLoaded(_ type: ByteString) { followed[type]?.isLoaded = true }

    // MARK: Scopes

    func add(_ scope: ServedScope) {
        served[scope.libraryID] = scope
        byHandle[scope.handle] = scope
    }

    /// Gives a scope that was opened anew its new handle.
    func move(_ scope: ServedScope, to handle: ScopeHandle) {
        byHandle[scope.handle] = nil
        scope.handle = handle
        byHandle[handle] = scope
    }

    /// Forgets that a scope can be asked for: another file replaced it.
    func retire(_ scope: ServedScope) {
        scope.isRetired = true
        if served[scope.libraryID] === scope { served[scope.libraryID] = nil }
    }

    func remove(_ scope: ServedScope) {
        if served[scope.libraryID] === scope { served[scope.libraryID] = nil }
        if byHandle[scope.handle] === scope { byHandle[scope.handle] = nil }
    }

    func scope(_ handle: ScopeHandle) -> ServedScope? { byHandle[handle] }

    /// Every scope, those that were replaced included, in the order of their handles.
    var all: [ServedScope] { byHandle.values.sorted { $0.handle < $1.handle } }
}

/// One scope that somebody has.
final class ServedScope {
    let library: ScopeLibrary
    /// The name in the file.
    let name: ByteString
    let parameters: ScopeParameters
    let libraryID: ByteString
    var handle: ScopeHandle
    /// The streams that read it.
    var streamIDs: Set<Int> = []
    /// Who asked for it.
    var subjects: Set<ByteString> = []
    /// The requests in progress that need the scope; it is not let go before they end.
    var requestCount = 0
    /// Since when nobody needs it, in milliseconds; nil while somebody does.
    var idleSince: Int64?
    /// True once another file has replaced it.
    var isRetired = false
    /// What the journal has of its log, or will have with the flush under way.
    var stored: StoredLog
    /// The flush with which everything of the log is on the disk.
    var ticket = 0

    init(
        _ library: ScopeLibrary, _ name: ByteString, _ parameters: ScopeParameters, libraryID: ByteString,
        handle: ScopeHandle, stored: StoredLog
    ) {
        self.library = library
        self.name = name
        self.parameters = parameters
        self.libraryID = libraryID
        self.handle = handle
        self.stored = stored
    }

    /// True if nobody needs it.
    var isUnused: Bool { streamIDs.isEmpty && requestCount == 0 }
}

/// The number of a served scope in the set of those with something to store.
struct ScopeHandleKey: Hashable {
    let scope: ServedScope

    init(_ scope: ServedScope) { self.scope = scope }

    static func == (left: ScopeHandleKey, right: ScopeHandleKey) -> Bool { left.scope === right.scope }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(scope)) }
}
