import TidemarkModel
import TidemarkStore

/// The part of a journal that reads single entities on the caller's thread, in the middle of a step of the cache.
///
/// A view reads the other entities of a join while a change is applied, and nothing may happen in between. The entities
/// that a cache reads this way are those that it evicted from memory, so they are committed. While such a cache is used
/// with a journal that lacks this part, it keeps all entities of the types that views read in memory.
package protocol ImmediateReads: Sendable {
    /// Reads an entity. Waits for the disk, but for no commit.
    ///
    /// - Returns: nil when it cannot be read now: ``Journal/load(_:)`` reads it, or reports why not.
    /// - Complexity: O(one block).
    func readImmediately(_ key: StoredKey) -> ImmediateRead?
}

/// The result of reading an entity in the middle of a step.
package enum ImmediateRead: Sendable {
    /// The entity as it is stored.
    case found(StoredEntity)
    /// The journal has no such entity.
    case absent
}
