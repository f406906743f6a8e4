import TidemarkModel

/// Keeps parsed documents by their text, so that each is parsed once. The least recently used are evicted first.
///
/// - Source: Protocol/graphql.md, documents.
package struct DocumentStore<Parsed: Sendable>: Sendable {
    /// The largest number of documents: 1,000.
    package static var countMax: Int { 1_000 }
    /// The largest size of all texts together: 16 MiB. A parsed document takes several times the size of its text.
    package static var byteCountMax: Int { 16 << 20 }

    private struct Entry: Sendable {
        var text: ByteString
        var parsed: Parsed
        /// The indices of the neighbours in the order of use; -1 at the ends.
        var newer: Int
        var older: Int
    }

    private let countMax: Int
    private let byteCountMax: Int
    /// The entries. The index of an evicted one is reused. Bounded by `countMax`.
    private var entries: [Entry?] = []
    private var indices: [ByteString: Int] = [:]
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1
    private var byteCount = 0

    /// Creates an empty store.
    package init(countMax: Int = Self.countMax, byteCountMax: Int = Self.byteCountMax) {
        self.countMax = countMax
        self.byteCountMax = byteCountMax
    }

    /// The number of documents that are kept.
    package var count: Int { indices.count }

    /// Returns the document of a text, and counts this as a use.
    ///
    /// - Returns: nil if it is not kept.
    /// - Complexity: O(text).
    package mutating func parsed(_ text: ByteString) -> Parsed? {
        guard let index = indices[text] else { return nil }
        unlink(index)
        link(index)
        return entries[index]?.parsed
    }

    /// Keeps a document, unless it is larger than all may be together.
    ///
    /// - Complexity: O(text), and the number of evicted documents.
    package mutating func keep(_ parsed: Parsed, for text: ByteString) {
        if let index = indices[text] { remove(index) }
        guard text.bytes.count <= byteCountMax, countMax > 0 else { return }
        while oldest >= 0, indices.count >= countMax || byteCount + text.bytes.count > byteCountMax { remove(oldest) }
        let entry = Entry(text: text, parsed: parsed, newer: -1, older: -1)
        let index: Int
        if let place = free.popLast() {
            entries[place] = entry
            index = place
        } else {
            entries.append(entry)
            index = entries.count - 1
        }
        indices[text] = index
        byteCount += text.bytes.count
        link(index)
    }

    private mutating func remove(_ index: Int) {
        guard let entry = entries[index] else { return }
        unlink(index)
        indices[entry.text] = nil
        byteCount -= entry.text.bytes.count
        entries[index] = nil
        free.append(index)
    }

    /// Makes an entry the newest one.
    private mutating func link(_ index: Int) {
        entries[index]?.older = newest
        entries[index]?.newer = -1
        if newest >= 0 { entries[newest]?.newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        guard let entry = entries[index] else { return }
        if entry.newer >= 0 { entries[entry.newer]?.older = entry.older } else { newest = entry.older }
        if entry.older >= 0 { entries[entry.older]?.newer = entry.newer } else { oldest = entry.newer }
    }
}
