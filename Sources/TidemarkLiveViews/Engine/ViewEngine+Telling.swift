import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// Notifying observers.
extension ViewEngine {
    /// Why a view has ended for its observer.
    enum End: String {
        /// The view was dropped.
        case dropped
        /// Another rule with other parameters has the name.
        case redefined
        /// The result has too many rows.
        case limitExceeded = "limit_exceeded"
    }

    /// Returns the state of a window.
    func status(
        of window: ViewWindowID, hasLoss: Bool, of library: ViewLibrary, in cache: isolated SyncCache
    ) -> ViewStatus {
        let status = cache.status(of: library.name)
        let isStale = isStale(status) || hasLoss
        let isPending = library.views.isPending(
            window, covered: library.covered, CacheEntities(library, in: cache))
        return ViewStatus(asOf: status.cursor, isStale: isStale, isPending: isPending)
    }

    /// True if a library is known to lack events.
    func isStale(_ status: LibraryStatus) -> Bool { status.phase == .stale || !status.lost.isEmpty }

    /// Notifies an observer if something shows.
    ///
    /// - Parameters:
    ///   - isForced: True if its sink must take the notification.
    ///   - isTotalNew: True if the observer is told the number of rows for the first time.
    func tell(
        _ observer: ViewObserver, _ update: ViewUpdate?, of library: ViewLibrary, isForced: Bool = false,
        isTotalNew: Bool = false, in cache: isolated SyncCache
    ) {
        if update?.isTooLarge == true { return end(observer, .limitExceeded, of: library, in: cache) }
        if observer.lag != nil {
            guard let update else { return }
            observer.lag?.patch += patch(update, for: observer, of: library)
            observer.lag?.addedKeys += update.addedKeys
            observer.lag?.mustTell = true
            return library.views.suspend(observer.window)
        }
        let status = status(of: observer.window, hasLoss: observer.hasLoss, of: library, in: cache)
        let isChanged = status.isStale != observer.told.isStale || status.isPending != observer.told.isPending
        guard update != nil || isChanged || isTotalNew else { return }
        let lag = ViewObserver.Lag(
            patch: patch(update, for: observer, of: library), addedKeys: update?.addedKeys ?? [], count: 1)
        offer(lag, status, to: observer, of: library, isForced: isForced, in: cache)
    }

    /// The operations of an update as its observer wants them. The window is as the update left it.
    private func patch(
        _ update: ViewUpdate?, for observer: ViewObserver, of library: ViewLibrary
    ) -> [ViewPatchOperation] {
        guard let update else { return [] }
        return observer.wantsWholeRows ? library.views.wholeRows(update) : update.patch
    }

    /// Sends changes to an observer, or keeps them until its sink has room and all entities could be read.
    ///
    /// - Returns: False if they are kept.
    @discardableResult
    private func offer(
        _ changes: ViewObserver.Lag, _ status: ViewStatus, to observer: ViewObserver, of library: ViewLibrary,
        isForced: Bool, in cache: isolated SyncCache
    ) -> Bool {
        guard let counts = library.views.counts(of: observer.window) else { return true }
        guard library.isReadable else {
            keep(changes, for: observer, of: library)
            rebuild(library, in: cache)
            return true
        }
        let params = ViewEngine.changed(observer, changes, status, counts)
        let notification = CacheNotification.document(DocumentNotification(method: "view.changed", params: params))
        if isForced {
            observer.sink.deliver(notification)
        } else if !observer.sink.offer(notification) {
            keep(changes, for: observer, of: library)
            return false
        }
        observer.told = status
        cache.countNotification()
        return true
    }

    private func keep(_ changes: ViewObserver.Lag, for observer: ViewObserver, of library: ViewLibrary) {
        observer.lag = changes
        library.views.suspend(observer.window)
        lagging.append(observer)
    }

    private static func changed(
        _ observer: ViewObserver, _ changes: ViewObserver.Lag, _ status: ViewStatus,
        _ counts: (total: Int, missing: Int)
    ) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("subscription", observer.subscription.rawValue)
            line.member("patch", json: Optional(ViewPatchOperation.text(changes.patch)))
            if observer.wantsKeys {
                line.name("keys")
                line.array { line in
                    for key in changes.addedKeys { line.value(json: key.text) }
                }
            }
            if observer.rule.hasTotal { line.member("total", counts.total) }
            line.members(of: status)
            line.member("missing", counts.missing)
            line.member("missed", max(0, changes.count - 1))
        }
        return line.bytes
    }

    // MARK: Slow observers

    /// Notifies the observers of a sink that fell behind.
    package func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache) {
        guard !lagging.isEmpty else { return }
        let waiting = lagging
        lagging = []
        var isFull = false
        for observer in waiting {
            guard observers[observer.subscription] === observer else { continue }
            guard !isFull, observer.sink === sink, let library = library(of: observer), library.isReadable else {
                lagging.append(observer)
                continue
            }
            isFull = !catchUp(observer, of: library, isForced: isForced, in: cache)
        }
    }

    /// - Returns: False if the sink has no room.
    @discardableResult
    func catchUp(
        _ observer: ViewObserver, of library: ViewLibrary, isForced: Bool, in cache: isolated SyncCache
    ) -> Bool {
        guard var lag = observer.lag else { return true }
        observer.lag = nil
        let told = (isStale: observer.told.isStale, isPending: observer.told.isPending)
        if let update = library.views.resume(observer.window, CacheEntities(library, in: cache)) {
            if update.isTooLarge {
                end(observer, .limitExceeded, of: library, in: cache)
                return true
            }
            lag.patch += patch(update, for: observer, of: library)
            lag.addedKeys += update.addedKeys
            lag.mustTell = true
        }
        let status = status(of: observer.window, hasLoss: observer.hasLoss, of: library, in: cache)
        guard lag.mustTell || told != (status.isStale, status.isPending) || !library.isReadable else { return true }
        return offer(lag, status, to: observer, of: library, isForced: isForced, in: cache)
    }

    func library(of observer: ViewObserver) -> ViewLibrary? {
        libraries.values.first { $0.observers[observer.window] === observer }
    }

    // MARK: Ending

    /// Ends an observer and says why.
    func end(_ observer: ViewObserver, _ reason: End, of library: ViewLibrary, in cache: isolated SyncCache) {
        var line = JSONLine()
        line.object { line in
            line.member("subscription", observer.subscription.rawValue)
            line.member("reason", Optional(ByteString(reason.rawValue)))
        }
        forget(observer, of: library, in: cache)
        observer.sink.deliver(.document(DocumentNotification(method: "view.ended", params: line.bytes)))
        cache.countNotification()
    }

    /// Removes an observer, with what it alone needed.
    func forget(_ observer: ViewObserver, of library: ViewLibrary, in cache: isolated SyncCache) {
        observers[observer.subscription] = nil
        library.observers[observer.window] = nil
        lagging.removeAll { $0 === observer }
        library.views.close(observer.window)
        library.views.release(observer.use)
        library.unfollow(observer.rule, in: cache)
        forgetIfUnused(library)
    }

    /// Ends one observer.
    package func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool {
        guard let observer = observers[subscription], let library = library(of: observer) else { return false }
        forget(observer, of: library, in: cache)
        return true
    }

    /// Ends all observers of a sink.
    package func detach(_ sink: any ObserverSink, in cache: isolated SyncCache) {
        for observer in observers.values.filter({ $0.sink === sink }) {
            if let library = library(of: observer) { forget(observer, of: library, in: cache) }
        }
    }

    /// Does nothing: views fetch nothing.
    package func failFetches(_ reason: String, in cache: isolated SyncCache) async {}
}

extension JSONLine {
    /// Writes the state of a result.
    mutating func members(of status: ViewStatus) {
        member("as_of", status.asOf)
        member("stale", status.isStale)
        member("pending", status.isPending)
    }
}
