import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// Answering requests.
extension ViewEngine {
    /// A use of a view that a request holds, with the types followed that it needs.
    struct OpenView {
        let library: ViewLibrary
        let rule: ViewRule
        let use: ViewUseID
        /// True if an entity of the view's types was evicted from both tiers since it was defined, or for a rule since
        /// the opening.
        var hasLoss = false
    }

    /// A view whose result is shown in a window, complete and readable.
    struct ShownView {
        let view: OpenView
        let window: ViewWindowID
    }

    /// Reads a view once.
    ///
    /// - Parameter reply: Called once, in the step in which the result is true.
    package func read(
        _ request: ViewRequest, in cache: isolated SyncCache,
        reply: @escaping (Result<ViewReply, CacheError>) -> Void
    ) async {
        if let stored = storedReply(to: request, in: cache) { return reply(.success(stored)) }
        await open(request, in: cache) { opened in
            let result = opened.flatMap { shown in
                Result { () throws(CacheError) in
                    defer { self.close(shown, in: cache) }
                    let view = shown.view
                    let status = self.status(of: shown.window, hasLoss: view.hasLoss, of: view.library, in: cache)
                    return try self.answer(request, shown, status, nil)
                }
            }
            reply(result)
        }
    }

    /// Reads a view and observes it from the same step on.
    ///
    /// - Parameters:
    ///   - sink: Receives the notifications.
    ///   - reply: Called once, before any notification of the observer.
    package func observe(
        _ request: ViewRequest, sink: any ObserverSink, in cache: isolated SyncCache,
        reply: @escaping (Result<ViewReply, CacheError>) -> Void
    ) async {
        if let refusal = cache.watcherRefusal { return reply(.failure(refusal)) }
        await open(request, in: cache) { opened in
            let result = opened.flatMap { shown in
                Result { () throws(CacheError) in
                    do throws(CacheError) {
                        return try self.begin(observing: shown, request, sink, in: cache)
                    } catch {
                        self.close(shown, in: cache)
                        throw error
                    }
                }
            }
            reply(result)
        }
    }

    private func begin(
        observing shown: ShownView, _ request: ViewRequest, _ sink: any ObserverSink, in cache: isolated SyncCache
    ) throws(CacheError) -> ViewReply {
        // The reader has not counted as an observer until now.
        openCount -= 1
        defer { openCount += 1 }
        if let refusal = cache.watcherRefusal { throw refusal }
        let (view, window, library) = (shown.view, shown.window, shown.view.library)
        let status = status(of: window, hasLoss: false, of: library, in: cache)
        let subscription = cache.newSubscription()
        let answer = try answer(request, shown, status, subscription)
        let observer = ViewObserver(
            subscription, request, rule: view.rule, types: library.ownTypes(of: view.rule), window: window,
            use: view.use, told: status, sink: sink)
        observers[subscription] = observer
        library.observers[window] = observer
        openCount -= 1
        return answer
    }

    /// Moves the window of an observer. The change is sent before this returns.
    ///
    /// - Throws: ``CacheError`` `unknownSubscription`.
    package func move(
        _ subscription: SubscriptionID, offset: Int?, limit: Int?, in cache: isolated SyncCache
    ) async throws(CacheError) {
        guard let observer = observers[subscription], let library = library(of: observer) else {
            throw CacheError(
                .unknownSubscription,
                "there is no view with the subscription \(subscription.rawValue): it was cancelled, or never made")
        }
        try await fill(.use(observer.use), of: library, in: cache)
        guard observers[subscription] === observer else { return }
        lagging.removeAll { $0 === observer }
        catchUp(observer, of: library, isForced: true, in: cache)
        observer.offset = offset ?? observer.offset
        observer.limit = limit ?? observer.limit
        let update = library.views.move(
            observer.window, offset: offset, limit: limit, CacheEntities(library, in: cache))
        tell(observer, update, of: library, isForced: true, in: cache)
    }

    // MARK: Uses

    /// Returns the rule of a request.
    ///
    /// - Throws: ``CacheError`` `notFound`.
    func rule(of view: RequestedView, in library: ByteString) throws(CacheError) -> ViewRule {
        switch view {
        case .rule(let rule): return rule
        case .name(let name):
            guard let definition = libraries[library]?.definitions[name] else {
                throw CacheError(.notFound, "no view is named \(name): view.list has the names")
            }
            return definition.rule
        }
    }

    /// How many pages are read before later requests of the same session go first: 16, at least 16,384 entities.
    private static let pageCountAtOnce = 16

    /// How often a result is computed anew because an entity could not be read in the middle of a step: 8.
    private static let attemptCountMax = 8

    /// Holds a use of a view, computes it, at once if that is quick, and shows it in a window.
    ///
    /// - Parameter body: Called once, in the step in which the use is complete. It closes the view.
    func open(
        _ request: ViewRequest, in cache: isolated SyncCache,
        then body: @escaping (Result<ShownView, CacheError>) -> Void
    ) async {
        do throws(CacheError) {
            let view = try begin(request, in: cache)
            do throws(CacheError) {
                if let shown = try await show(view, request, stepCountMax: ViewEngine.pageCountAtOnce, in: cache) {
                    return body(.success(shown))
                }
            } catch {
                close(view, in: cache)
                throw error
            }
            cache.spawn { await self.finish(opening: view, request, in: cache, then: body) }
        } catch {
            body(.failure(error))
        }
    }

    private func finish(
        opening view: OpenView, _ request: ViewRequest, in cache: isolated SyncCache,
        then body: @escaping (Result<ShownView, CacheError>) -> Void
    ) async {
        do throws(CacheError) {
            for _ in 0..<ViewEngine.attemptCountMax {
                if let shown = try await show(view, request, in: cache) { return body(.success(shown)) }
            }
            throw CacheError(.storageFailed, "entities of the view cannot be read now: ask again")
        } catch {
            close(view, in: cache)
            body(.failure(error))
        }
    }

    /// Computes a use, and shows it in a window.
    ///
    /// - Returns: nil if more steps are needed than allowed, or if an entity could not be read in the middle of this
    ///   step: everything is then computed anew, and the next call waits for that.
    private func show(
        _ view: OpenView, _ request: ViewRequest, stepCountMax: Int = .max, in cache: isolated SyncCache
    ) async throws(CacheError) -> ShownView? {
        guard try await complete(view, stepCountMax: stepCountMax, in: cache) else { return nil }
        let view = opened(view, request, in: cache)
        let library = view.library
        let window = try window(of: view, request, in: cache)
        // Entities that only `pending` needs have to be readable too.
        _ = library.views.isPending(window, covered: library.covered, CacheEntities(library, in: cache))
        if library.isReadable { return ShownView(view: view, window: window) }
        library.views.close(window)
        rebuild(library, in: cache)
        return nil
    }

    /// Holds a use of a view.
    func begin(_ request: ViewRequest, in cache: isolated SyncCache) throws(CacheError) -> OpenView {
        if let refusal = cache.closedRefusal { throw refusal }
        let rule = try rule(of: request.view, in: request.library)
        let binding: ViewBinding
        do throws(ViewRuleError) {
            binding = try ViewBinding(request.params, for: rule)
        } catch {
            throw CacheError(.invalidParams, error.parameterMessage)
        }
        let library = library(request.library, in: cache)
        do throws(CacheError) {
            try library.follow(rule, in: cache)
            guard let use = library.views.hold(rule, binding) else {
                library.unfollow(rule, in: cache)
                throw CacheError(
                    .limitExceeded, "there are \(limits.useCountMax) uses of views: cancel some observers first")
            }
            openCount += 1
            return OpenView(library: library, rule: rule, use: use)
        } catch {
            forgetIfUnused(library)
            throw error
        }
    }

    /// Computes a use.
    ///
    /// - Returns: False if more steps than allowed are needed.
    @discardableResult
    func complete(
        _ view: OpenView, stepCountMax: Int = .max, in cache: isolated SyncCache
    ) async throws(CacheError) -> Bool {
        try await fill(.use(view.use), of: view.library, stepCountMax: stepCountMax, in: cache)
    }

    /// Notes the state in which a use is complete.
    private func opened(_ view: OpenView, _ request: ViewRequest, in cache: isolated SyncCache) -> OpenView {
        let library = view.library
        // The edits may have changed while nothing of this library was observed.
        refreshCovered(library, in: cache)
        var view = view
        if case .name(let name) = request.view {
            view.hasLoss = library.definitions[name]?.hasLoss ?? false
        } else {
            view.hasLoss = view.rule.types.contains { cache.hasLeft(type: $0, library: library.name) }
        }
        return view
    }

    /// Brings the entities that edits cover up to date.
    func refreshCovered(_ library: ViewLibrary, in cache: isolated SyncCache) {
        library.layerVersion = cache.pendingVersion
        library.covered = Set(cache.pendingKeys(in: library.name).map { ViewKey(type: $0.type, id: $0.id) })
    }

    /// Ends a request that was shown.
    func close(_ shown: ShownView, in cache: isolated SyncCache) {
        shown.view.library.views.close(shown.window)
        close(shown.view, in: cache)
    }

    /// Ends a request.
    func close(_ view: OpenView, in cache: isolated SyncCache) {
        view.library.views.release(view.use)
        openCount -= 1
        view.library.unfollow(view.rule, in: cache)
        forgetIfUnused(view.library)
    }

    func window(
        of view: OpenView, _ request: ViewRequest, in cache: isolated SyncCache
    ) throws(CacheError) -> ViewWindowID {
        let library = view.library
        guard
            let window = library.views.open(
                view.use, offset: request.offset, limit: request.limit, CacheEntities(library, in: cache))
        else {
            throw CacheError(
                .limitExceeded, "there are \(limits.windowCountMax) observed views: cancel some first")
        }
        return window
    }

    private func answer(
        _ request: ViewRequest, _ shown: ShownView, _ status: ViewStatus, _ subscription: SubscriptionID?
    ) throws(CacheError) -> ViewReply {
        guard let result = shown.view.library.views.result(shown.window) else {
            preconditionFailure("a window that was just opened is open")
        }
        guard !result.isTooLarge else {
            throw CacheError(
                .limitExceeded,
                "the result has \(result.total) rows, more than \(limits.rowCountMax): pass a smaller limit")
        }
        return ViewReply(
            rows: result.rows, keys: result.keys.map(\.text), total: result.total, missing: result.missing,
            hasTotal: shown.view.rule.hasTotal, hasKeys: request.wantsKeys, status: status,
            subscription: subscription)
    }
}

extension ViewRuleError {
    /// The error of parameters, in one line.
    var parameterMessage: String {
        let subject = place.isEmpty ? "params" : "\(place) of params"
        return "\(subject) \(what)" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    }
}
