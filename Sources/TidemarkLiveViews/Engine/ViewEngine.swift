import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// Keeps the views of one cache true: it fills them, gives them every change, and notifies their observers.
///
/// It is confined to the cache's actor; see ``CacheWing``. What a view's rows are is decided by ``ViewSet``, a pure
/// value; this class brings entities to it, and results to observers.
///
/// - Source: Protocol/views.md.
package final class ViewEngine: CacheWing {
    let limits: ViewLimits
    /// The libraries with views. Definitions, observers and reads in progress bound them.
    var libraries: [ByteString: ViewLibrary] = [:]
    /// The observers by subscription.
    var observers: [SubscriptionID: ViewObserver] = [:]
    /// The observers whose sink was full, in the order in which they fell behind.
    var lagging: [ViewObserver] = []
    /// The reads and definitions in progress, which follow types as observers do.
    var openCount = 0
    /// The definitions that are not complete or not durable yet, by number.
    var definitionsInProgress: [Int: DefinitionInProgress] = [:]
    var lastDefinition = 0
    /// The removal of stored results that belong to no held view, with the next flush.
    var unclaimedResults: [RecordChange] = []
    /// How far the definitions of earlier processes are restored.
    var restoration = Restoration.notBegun

    /// Creates an engine without views.
    package init(limits: ViewLimits = ViewLimits()) { self.limits = limits }

    /// The number of observers, definitions and reads in progress.
    package var observerCount: Int {
        let definitionCount = libraries.values.reduce(0) { $0 + $1.definitions.count }
        return observers.count + openCount + definitionsInProgress.count + definitionCount
    }

    /// True once the definitions of earlier processes are known: every flush then removes or replaces the stored
    /// results that it changes. Before that, the first flush removes them all.
    package var keepsDerivedRecords: Bool {
        if case .done = restoration { true } else { false }
    }

    /// How many views are defined, and an estimate of the memory that all views take.
    var totals: (definitionCount: Int, byteCount: Int) {
        libraries.values.reduce((0, 0)) { ($0.0 + $1.definitions.count, $0.1 + $1.views.byteCount) }
    }

    func library(_ name: ByteString, in cache: isolated SyncCache) -> ViewLibrary {
        if let known = libraries[name] { return known }
        let library = ViewLibrary(name, aliases: cache.typeAliases, limits: limits)
        libraries[name] = library
        return library
    }

    /// Forgets a library without views.
    func forgetIfUnused(_ library: ViewLibrary) {
        if library.isUnused, libraries[library.name] === library { libraries[library.name] = nil }
    }

    // MARK: Changes

    /// Collects a change.
    package func note(_ change: ChangeRecord) {
        switch change {
        case .followed(let change):
            guard change.old.visible != change.new.visible else { return }
            libraries[change.key.library]?.changes.append(
                ViewChange(
                    ViewKey(type: change.key.type, id: change.key.id), from: ViewEntityState(change.old.visible),
                    to: ViewEntityState(change.new.visible)))
        case .lost(_, let library): libraries[library]?.isLost = true
        case .evicted(let type, let library): libraries[library]?.leftTypes.insert(type)
        case .library(let status): libraries[status.library]?.isStatusChanged = true
        case .query, .entity, .absent, .renamed, .settled: break
        }
    }

    /// Gives the collected changes to the views, and notifies their observers.
    package func distribute(in cache: isolated SyncCache) {
        guard !libraries.isEmpty else { return }
        for library in libraries.values.sorted(by: { $0.name < $1.name }) { distribute(library, in: cache) }
    }

    private func distribute(_ library: ViewLibrary, in cache: isolated SyncCache) {
        let isLayered = noteLayers(of: library, in: cache)
        noteLosses(of: library)
        dropStoredResults(of: library, in: cache)
        let changes = library.changes
        library.changes = []
        var updates: [ViewWindowID: ViewUpdate] = [:]
        var concerned: Set<ViewWindowID> = []
        if !changes.isEmpty {
            noteMissed(changes, in: library)
            for update in library.views.apply(changes, CacheEntities(library, in: cache)) {
                updates[update.window] = update
            }
            concerned = Set(library.views.refreshed)
            noteResults(of: concerned, in: library)
        }
        if library.isLost || !library.unreadable.isEmpty { rebuild(library, in: cache) }
        let isEach = isLayered || library.isStatusChanged || !library.leftTypes.isEmpty
        library.isStatusChanged = false
        library.leftTypes = []
        if !isEach, concerned.isEmpty { return }
        let windows = isEach ? Array(library.observers.keys) : Array(concerned)
        for window in windows.sorted() {
            guard let observer = library.observers[window], observer.lag == nil else { continue }
            tell(observer, updates[window], of: library, in: cache)
        }
    }

    /// Notes whether the pending edits changed.
    private func noteLayers(of library: ViewLibrary, in cache: isolated SyncCache) -> Bool {
        let version = cache.pendingVersion
        guard version != library.layerVersion || !library.covered.isEmpty && !library.changes.isEmpty else {
            return false
        }
        library.layerVersion = version
        let covered = Set(cache.pendingKeys(in: library.name).map { ViewKey(type: $0.type, id: $0.id) })
        guard covered != library.covered else { return false }
        library.covered = covered
        return true
    }

    private func noteLosses(of library: ViewLibrary) {
        guard !library.leftTypes.isEmpty else { return }
        for observer in library.observers.values where !observer.types.isDisjoint(with: library.leftTypes) {
            observer.hasLoss = true
        }
        for (name, definition) in library.definitions
        where !library.ownTypes(of: definition.rule).isDisjoint(with: library.leftTypes) {
            library.definitions[name]?.hasLoss = true
            library.definitions[name]?.isResultUnwritten = true
        }
    }

    private func noteMissed(_ changes: [ViewChange], in library: ViewLibrary) {
        guard !lagging.isEmpty else { return }
        let types = Set(changes.map(\.key.type))
        for observer in lagging where library.observers[observer.window] === observer {
            if !observer.types.isDisjoint(with: types) { observer.lag?.count += 1 }
        }
    }
}
