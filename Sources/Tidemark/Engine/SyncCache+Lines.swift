import TidemarkModel
import TidemarkWire

extension SyncCache {
    /// Applies event lines that are in memory. Returns when they are applied; ``flush()`` makes them durable.
    ///
    /// ```swift
    /// let lines = """
    ///     {"sequence":1,"event":{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":4}}}}
    ///     {"sequence":2,"event":{"ResourceDeleted":{"resource_type":"photo","resource_id":"2"}}}
    ///     """
    /// try await cache.ingest(Array(lines.utf8))
    /// print(await cache.counts().applied)
    /// ```
    ///
    /// A line that cannot be used is quarantined and counted. Each call is an input of its own: a gap that it leaves
    /// waits for the reorder window, and for later calls.
    ///
    /// - Parameter lines: Whole lines, which are copied. The last one needs no LF.
    /// - Throws: ``StorageError`` when entities of the lines cannot be loaded, or when memory runs out; `.closed` and
    ///   `.suspended` when the cache is.
    /// - Complexity: O(lines.count).
    public func ingest(_ lines: [UInt8]) async throws(StorageError) {
        try checkStorageChangeable()
        let input = inputs.newID()
        let batches: [EventBatch]
        do throws(WireError) {
            batches = try inputs.decoder(limits: configuration.limits).batches(of: lines, input: input)
        } catch {
            throw StorageError(
                .inputOutput, "no memory to decode \(lines.count) bytes", advice: "pass fewer lines at once")
        }
        for batch in batches { try await ingest(batch) }
    }
}
