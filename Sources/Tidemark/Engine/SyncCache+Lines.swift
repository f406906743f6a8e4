import TidemarkModel
import TidemarkWire

extension SyncCache {
    /// Applies event lines that are in memory. Returns when they are applied; ``flush()`` makes them durable.
    ///
    /// The bytes are whole lines; the last one needs no LF. A line that cannot be used is quarantined and counted. Each
    /// call is an input of its own: a gap that it leaves waits for the reorder window, and for later calls.
    ///
    /// - Parameter lines: The lines; they are copied.
    /// - Throws: ``StorageError`` when entities that the lines touch cannot be loaded, or when there is not enough
    ///   memory.
    /// - Complexity: O(lines.count).
    public func ingest(_ lines: [UInt8]) async throws(StorageError) {
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
