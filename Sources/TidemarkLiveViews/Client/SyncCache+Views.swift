import Tidemark
import TidemarkModel
import TidemarkViews

extension SyncCache {
    /// Loads the definitions of views that earlier processes left. The first use of a view does it, too; call it right
    /// after the opening, so that the stored rows of defined views stay true while nobody reads them.
    ///
    /// ```swift
    /// try await cache.loadViews()
    /// ```
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.storageFailed`; the next use tries again.
    public nonisolated func loadViews() async throws(CacheError) { try await ViewEngine.attach(to: self) }

    /// Reads a view once.
    ///
    /// ```swift
    /// let file = View.Source(type: "file")
    /// let large = View(file, where: file["/size"] > 1_000_000).order(by: file["/size"], .descending).total()
    /// let result = try await cache.read(large, as: JSONValue.self, limit: 10)
    /// print(result.rows.count, "of", result.total ?? 0)
    /// ```
    ///
    /// - Parameters:
    ///   - view: A view, or the name of a defined one: ``View/named(_:)``.
    ///   - params: A value for each parameter of the view, as an object.
    ///   - row: The Swift type of the rows.
    ///   - offset: The rows to leave out; nil for the view's own.
    ///   - limit: The most rows; nil for the view's own.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``/Tidemark/CacheError``: `.invalidParams` for a mistake in the view or its parameters, `.notFound`
    ///   for a name that nobody defined, `.limitExceeded`, `.storageFailed`; ``ViewRowError`` when a row does not match
    ///   its type; `CancellationError`.
    public nonisolated func read<Row: Decodable & Sendable>(
        _ view: View, _ params: some Encodable = JSONValue.object([]), as row: Row.Type, offset: Int? = nil,
        limit: Int? = nil, library: String? = nil
    ) async throws -> ViewRows<Row> {
        let request = try ViewRequest(view, params, offset, limit, name(library))
        try await ViewEngine.attach(to: self)
        let reply = OneShotReply<Result<ViewReply, CacheError>>()
        await withWing(ViewEngine.self) { engine, cache in
            await engine.read(request, in: cache) { reply.answer($0) }
        }
        return try ViewRows(try await reply.value().get(), RowDecoder())
    }

    /// Observes a view: its current rows, then its rows after every change that shows.
    ///
    /// ```swift
    /// let issue = View.Source(type: "issue")
    /// let mine = View(issue).filter(issue["/assignee"] == View.param("me")).order(by: issue["/created"]).limit(50)
    /// for try await update in try cache.observe(mine, ["me": "7"], as: JSONValue.self) {
    ///     print(update.rows.count, update.changes.count)
    /// }
    /// ```
    ///
    /// Nothing is read before the sequence is iterated.
    ///
    /// - Parameters:
    ///   - view: A view, or the name of a defined one: ``View/named(_:)``.
    ///   - params: A value for each parameter of the view, as an object.
    ///   - row: The Swift type of the rows.
    ///   - offset: The rows to leave out; nil for the view's own.
    ///   - limit: The most rows; nil for the view's own.
    ///   - library: The library; nil for the default library.
    /// - Returns: A sequence of rows. Errors other than the one below are thrown while iterating.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for a mistake in the view or in the window, and for
    ///   parameters without a JSON form.
    public nonisolated func observe<Row: Decodable & Sendable>(
        _ view: View, _ params: some Encodable = JSONValue.object([]), as row: Row.Type, offset: Int? = nil,
        limit: Int? = nil, library: String? = nil
    ) throws(CacheError) -> ViewObservation<Row> {
        ViewObservation(try ViewRequest(view, params, offset, limit, name(library)), of: self)
    }

    /// Defines a view under a name, in place of another one of that name. It is then kept true and stored while nobody
    /// looks, and answered right after an opening.
    ///
    /// ```swift
    /// let file = View.Source(type: "file")
    /// try await cache.define("kinds", View(file).group("kind", by: file["/kind"]).aggregate("n", .count()))
    /// print(try await cache.read(.named("kinds"), as: JSONValue.self).rows)
    /// ```
    ///
    /// Returns when the view is true for all stored entities, and durable.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes.
    ///   - view: The rule.
    ///   - library: The library; nil for the default library.
    /// - Throws: ``/Tidemark/CacheError``; the former definition then stays.
    public nonisolated func define(
        _ name: String, _ view: View, library: String? = nil
    ) async throws(CacheError) {
        guard 1...ViewEngine.nameByteCountMax ~= name.utf8.count else {
            throw CacheError(
                .invalidParams, "name has \(name.utf8.count) bytes: pass one of 1 to \(ViewEngine.nameByteCountMax)")
        }
        let rule = try view.rule()
        let library = self.name(library)
        try await ViewEngine.attach(to: self)
        try await withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            let number = try engine.beginDefinition(ByteString(name), rule, in: library, cache: cache)
            try await engine.finish(definition: number, cache: cache)
        }
    }

    /// Drops a defined view. Its observers end with ``ViewEndedError``. Returns when that is durable.
    ///
    /// ```swift
    /// try await cache.drop("kinds")
    /// ```
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.notFound` for a name that nobody defined, `.storageFailed`.
    public nonisolated func drop(_ name: String, library: String? = nil) async throws(CacheError) {
        let library = self.name(library)
        try await ViewEngine.attach(to: self)
        let changes = try await withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            try engine.drop(ByteString(name), in: library, cache: cache)
        }
        try await write(changes)
    }

    nonisolated func name(_ library: String?) -> ByteString {
        library.map { ByteString($0) } ?? configuration.defaultLibrary
    }
}
