import TidemarkModel
import TidemarkStore

/// Removes everything that a journal has of a library, with its name, in the transaction of the flush that takes it.
/// The flush also clears the library's entities.
package struct LibraryErasure: AttachedChange, Hashable {
    /// The library.
    package let library: ByteString
    /// True if the definitions of its views stay, because a part of this cache still has them.
    package let keepsViews: Bool

    /// Creates the change.
    package init(_ library: ByteString, keepsViews: Bool) {
        self.library = library
        self.keepsViews = keepsViews
    }
}

/// The part of a journal that overwrites what was erased.
package protocol ErasingJournal: Sendable {
    /// Returns true if anything of a library was committed and not erased since.
    ///
    /// - Throws: ``StorageError``.
    func holds(library: ByteString) async throws(StorageError) -> Bool

    /// Removes what committed erasures left in unused parts of the files. Without one, it does nothing.
    ///
    /// - Throws: ``StorageError``. The erased data cannot be read through the journal even then, and the next opening
    ///   tries again.
    func scrub() async throws(StorageError)
}
