import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// What is asked of an explanation.
package enum ExplainedPart: Sendable {
    /// How the view is computed.
    case plan
    /// Why a row is there: its key as JSON.
    case row([UInt8])
    /// Why an entity is there or not: its type, by any of its names, and its id.
    case entity(type: ByteString, id: ByteString)
}

/// How a view is computed, and why a row or an entity is in it or not.
package struct ViewExplanation: Sendable {
    /// An entity behind a row.
    package struct Source: Sendable {
        /// The key.
        package var key: ViewKey
        /// The sequence of the event that wrote it last; nil if that write had none.
        package var sequence: EventSequence?
        /// The number of that event's line in its input; nil if it is not known any more.
        package var line: Int64?
    }

    /// The steps.
    package var plan: [ViewPlanLine]
    /// The first hundred entities that were asked for by `@key` and are not known.
    package var missing: [ViewKey]
    /// The entities behind the row; nil if no row was asked about.
    package var sources: [Source]?
    /// The rows of the entity, or why there are none; nil if no entity was asked about.
    package var entity: ViewEntityExplanation?

    /// Creates an explanation.
    package init(
        plan: [ViewPlanLine], missing: [ViewKey], sources: [Source]? = nil, entity: ViewEntityExplanation? = nil
    ) {
        self.plan = plan
        self.missing = missing
        self.sources = sources
        self.entity = entity
    }
}

extension ViewEngine {
    /// Explains a view.
    ///
    /// - Parameter reply: Called once, in the step in which the result is true. Fails with `notFound` for a row that
    ///   the result does not show, and as ``read(_:in:reply:)``.
    package func explain(
        _ request: ViewRequest, _ part: ExplainedPart, in cache: isolated SyncCache,
        reply: @escaping (Result<ViewExplanation, CacheError>) -> Void
    ) async {
        await open(request, in: cache) { opened in
            guard case .entity = part, case .success(let shown) = opened else {
                return reply(self.explanation(of: part, opened, CopiedEntities(), in: cache))
            }
            let types = shown.view.library.views.searchedTypes(shown.window)
            guard !types.isEmpty else {
                return reply(self.explanation(of: part, opened, CopiedEntities(), in: cache))
            }
            // The use stays held while they are read.
            shown.view.library.views.close(shown.window)
            cache.spawn {
                await self.explain(part, of: shown.view, request, searching: types, in: cache, reply: reply)
            }
        }
    }

    /// Reads the entities that an explanation searches, page by page, then explains the view as it is by then.
    private func explain(
        _ part: ExplainedPart, of view: OpenView, _ request: ViewRequest, searching types: Set<ByteString>,
        in cache: isolated SyncCache, reply: @escaping (Result<ViewExplanation, CacheError>) -> Void
    ) async {
        defer { close(view, in: cache) }
        do throws(CacheError) {
            let copied = try await copy(types, of: view.library, in: cache)
            await open(request, in: cache) { opened in
                reply(self.explanation(of: part, opened, copied, in: cache))
            }
        } catch {
            reply(.failure(error))
        }
    }

    /// Reads at least the first ``/TidemarkViews/ViewSet/searchedCountMax`` entities of each type, if it has as many,
    /// in pages between which other work goes on.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `storageFailed` when the file cannot be read.
    private func copy(
        _ types: Set<ByteString>, of library: ViewLibrary, in cache: isolated SyncCache
    ) async throws(CacheError) -> CopiedEntities {
        var copied = CopiedEntities()
        for name in types.sorted() {
            guard let type = library.followed[name]?.type else { continue }
            let countMax = copied.count + ViewSet.searchedCountMax
            var (last, isLast): (ByteString?, Bool) = (nil, false)
            while !isLast, copied.count < countMax {
                do throws(StorageError) {
                    try await cache.withPage(of: type, after: last) { entities, isEnd in
                        copied.add(entities, of: name)
                        last = entities.last?.id ?? last
                        isLast = isEnd
                    }
                } catch {
                    throw CacheError(.storageFailed, error.description)
                }
                await Task.yield()
            }
        }
        return copied
    }

    private func explanation(
        of part: ExplainedPart, _ opened: Result<ShownView, CacheError>, _ listed: CopiedEntities,
        in cache: isolated SyncCache
    ) -> Result<ViewExplanation, CacheError> {
        opened.flatMap { shown in
            Result { () throws(CacheError) in
                defer { close(shown, in: cache) }
                let explanation = try explanation(of: part, shown, listed, in: cache)
                guard shown.view.library.isReadable else {
                    rebuild(shown.view.library, in: cache)
                    throw CacheError(.storageFailed, "an entity that the explanation needs could not be read")
                }
                return explanation
            }
        }
    }

    private func explanation(
        of part: ExplainedPart, _ shown: ShownView, _ listed: CopiedEntities, in cache: isolated SyncCache
    ) throws(CacheError) -> ViewExplanation {
        let (library, window) = (shown.view.library, shown.window)
        var explanation = ViewExplanation(
            plan: library.views.plan(window), missing: library.views.missing(window))
        let entities = CacheEntities(library, in: cache)
        switch part {
        case .plan: break
        case .row(let json):
            let key: ViewRowKey?
            do throws(ViewRuleError) { key = try library.views.rowKey(json, of: window) } catch {
                throw CacheError(.invalidParams, "row \(error.what)")
            }
            guard let key else {
                throw CacheError(
                    .notFound, "the result shows no such row: pass a key as view.read returns it with keys")
            }
            explanation.sources = library.views.entities(behind: key, window, entities)
                .map { source($0, of: library, in: cache) }
        case .entity(let type, let id):
            let name = library.aliases[type] ?? type
            guard library.followed[name] != nil else {
                let isShown = cache.shows(EntityKey(library: library.name, type: name, canonicalID: id))
                explanation.entity = .failed(
                    ViewFailure(
                        at: "/from", condition: nil, value: nil, entity: ViewKey(type: name, id: id),
                        isMiss: !isShown))
                break
            }
            explanation.entity = library.views.explain(
                ViewKey(type: name, id: id), window, entities, listed: listed)
        }
        return explanation
    }

    private func source(
        _ key: ViewKey, of library: ViewLibrary, in cache: isolated SyncCache
    ) -> ViewExplanation.Source {
        let place = cache.lastWrite(of: EntityKey(library: library.name, type: key.type, canonicalID: key.id))
        return ViewExplanation.Source(key: key, sequence: place.sequence, line: place.line)
    }
}
