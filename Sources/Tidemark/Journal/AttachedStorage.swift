/// The part of a journal that keeps data beside the entities which a server can send again, such as stored HTTP
/// responses. A journal without this part keeps none.
package protocol AttachedStorage: Sendable {
    /// Evicts the least recently used of this data until at least `byteCount` bytes are freed, or none is left.
    ///
    /// - Returns: True if any was evicted.
    /// - Throws: ``StorageError`` when the journal cannot be written.
    func removeAttached(byteCount: Int64) async throws(StorageError) -> Bool
}
