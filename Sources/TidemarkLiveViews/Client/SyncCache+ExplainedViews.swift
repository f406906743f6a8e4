import Tidemark
import TidemarkModel

extension SyncCache {
    /// Lists the defined views of a library, by name.
    ///
    /// ```swift
    /// for view in try await cache.definedViews() {
    ///     print(view.name, view.parameters, view.rowCount ?? 0, view.isBuilding)
    /// }
    /// ```
    ///
    /// - Parameter library: The library; nil for the default library.
    /// - Throws: ``/Tidemark/CacheError`` `.storageFailed` if the definitions of earlier processes cannot be loaded.
    public nonisolated func definedViews(library: String? = nil) async throws(CacheError) -> [DefinedView] {
        let library = name(library)
        try await ViewEngine.attach(to: self)
        return await withWing(ViewEngine.self) { engine, _ in engine.list(in: library) }.map(DefinedView.init)
    }

    /// Explains how a view is computed, where the entities of a row come from, or why an entity is in the view or not.
    ///
    /// ```swift
    /// let file = View.Source(type: "file")
    /// let large = View(file, where: file["/size"] > 1_000_000)
    /// let explained = try await cache.explain(large, .entity(type: "file", id: "7"))
    /// if case .absent(let reason)? = explained.presence {
    ///     print(reason.place, reason.condition ?? "", reason.value ?? "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - view: A view, or the name of a defined one: ``View/named(_:)``.
    ///   - subject: What to explain beside the plan.
    ///   - params: A value for each parameter of the view, as an object.
    ///   - offset: The rows to leave out; nil for the view's own.
    ///   - limit: The most rows; nil for the view's own.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``/Tidemark/CacheError``: `.invalidParams` for a mistake in the view, its parameters or the key of the
    ///   row, `.notFound` for a name that nobody defined and for a row that the result does not show, `.limitExceeded`,
    ///   `.storageFailed`; `CancellationError`.
    public nonisolated func explain(
        _ view: View, _ subject: ExplainedView.Subject = .plan, _ params: some Encodable = JSONValue.object([]),
        offset: Int? = nil, limit: Int? = nil, library: String? = nil
    ) async throws -> ExplainedView {
        let request = try ViewRequest(view, params, offset, limit, name(library))
        try await ViewEngine.attach(to: self)
        let reply = OneShotReply<Result<ViewExplanation, CacheError>>()
        await withWing(ViewEngine.self) { engine, cache in
            await engine.explain(request, subject.part, in: cache) { reply.answer($0) }
        }
        return ExplainedView(try await reply.value().get())
    }
}
