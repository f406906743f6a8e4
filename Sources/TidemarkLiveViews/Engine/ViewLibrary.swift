import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// The views of one library, with what is known of their state.
///
/// It belongs to the engine, and is confined to the cache's actor.
final class ViewLibrary {
    /// A view that is kept while nobody looks.
    struct Definition {
        /// Tells the definition from others of its name.
        let number: Int
        let rule: ViewRule
        /// The held rule of a view with parameters; nil for one without.
        let ruleID: ViewRuleID?
        /// The held use of a view without parameters; nil for one with.
        let use: ViewUseID?
        /// True if an entity of the view's types was evicted from both tiers since the definition.
        var hasLoss = false
        /// The window of the result that is stored; nil for a view with parameters, and until the result is computed.
        var window: ViewWindowID?
        /// The stored result of an earlier process, while nothing that it is made of has changed.
        var stored: StoredResult?
        /// True if the journal has a result that may be another one.
        var isResultUnwritten = false
        /// True if the journal has a result.
        var isResultStored = false

        /// What has to be filled for it.
        var filling: ViewEngine.Filling { use.map { .use($0) } ?? .rules }
    }

    let name: ByteString
    /// The cache's own names of types, by their other names.
    let aliases: [ByteString: ByteString]
    var views: ViewSet
    var definitions: [ByteString: Definition] = [:]
    /// The observers by their window; the limit of windows bounds them.
    var observers: [ViewWindowID: ViewObserver] = [:]
    /// A followed type.
    struct Followed {
        let type: LibraryType
        /// How many rules need it.
        var count: Int
        /// True once its entities are where views can read them.
        var isLoaded = false
    }

    /// The followed types by name.
    var followed: [ByteString: Followed] = [:]

    // MARK: The step

    /// The changes since the last distribution; a unit bounds them.
    var changes: [ViewChange] = []
    /// The types of which entities were evicted from both tiers since the last distribution.
    var leftTypes: Set<ByteString> = []
    /// True if the status of the library changed since the last distribution.
    var isStatusChanged = false
    /// The entities that could not be read in the middle of a step; the result is wrong until they are.
    var unreadable: Set<ViewKey> = []
    /// The entities that could not be read even then, because their rows are damaged. They count as unknown.
    var lost: Set<ViewKey> = []
    /// True if the last values of changed entities are not known, so that everything has to be computed anew.
    var isLost = false
    /// The edits at the last distribution.
    var layerVersion: PendingVersion?
    /// The entities that edits cover.
    var covered: Set<ViewKey> = []

    // MARK: Filling

    /// True while a task fills views.
    var isFilling = false
    /// Those who wait until they may fill.
    var fillWaiters: [CheckedContinuation<Void, Never>] = []
    /// True while all views are being computed anew.
    var isRebuilding = false
    /// Those who wait until all views were computed anew.
    var rebuildWaiters: [CheckedContinuation<Void, Never>] = []
    /// Why the last attempt to compute all views anew failed; nil if it did not.
    var rebuildFailure: CacheError?

    /// False if a result may be made of entities that could not be read, or whose last values are not known. Nobody is
    /// shown such a result.
    var isReadable: Bool { !isRebuilding && !isLost && unreadable.isEmpty }

    init(_ name: ByteString, aliases: [ByteString: ByteString], limits: ViewLimits) {
        self.name = name
        self.aliases = aliases
        views = ViewSet(types: aliases, limits: limits)
    }

    /// Follows the types of a rule.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if there are too many libraries or types; nothing is followed then.
    func follow(_ rule: ViewRule, in cache: isolated SyncCache) throws(CacheError) {
        var new: [(name: ByteString, type: LibraryType)] = []
        for name in ownTypes(of: rule).sorted() where followed[name] == nil {
            guard let type = cache.follow(type: name, in: self.name) else {
                for (_, type) in new { cache.unfollow(type) }
                throw CacheError(
                    .limitExceeded, "there are too many libraries or types: the view names one that is not known yet")
            }
            new.append((name, type))
        }
        for (name, type) in new { followed[name] = Followed(type: type, count: 0) }
        for name in ownTypes(of: rule) { followed[name]?.count += 1 }
    }

    /// Ends one ``follow(_:in:)``.
    func unfollow(_ rule: ViewRule, in cache: isolated SyncCache) {
        for name in ownTypes(of: rule) {
            guard let known = followed[name] else { continue }
            followed[name]?.count -= 1
            guard known.count == 1 else { continue }
            followed[name] = nil
            cache.unfollow(known.type)
        }
    }

    /// The cache's own names of a rule's types, each once.
    func ownTypes(of rule: ViewRule) -> Set<ByteString> { Set(rule.types.map { aliases[$0] ?? $0 }) }

    /// True if nothing is defined or observed, and nobody fills.
    var isUnused: Bool { definitions.isEmpty && observers.isEmpty && followed.isEmpty && !isFilling && !isRebuilding }
}
