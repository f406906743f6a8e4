import TidemarkModel

/// The join keys of one entity, each once. Most entities have one, which takes no array of its own.
struct JoinKeys: RandomAccessCollection, Equatable, Sendable {
    private var only: ByteString?
    private var several: [ByteString] = []

    /// No key.
    init() {}

    init(_ key: ByteString) { only = key }

    var startIndex: Int { 0 }

    var endIndex: Int { only == nil ? several.count : 1 }

    subscript(position: Int) -> ByteString { only ?? several[position] }

    /// Adds a key, if it is not there yet.
    mutating func insert(_ key: ByteString, _ seen: inout Set<ByteString>) {
        guard let first = only ?? several.first else {
            only = key
            return
        }
        if seen.isEmpty { seen.insert(first) }
        guard seen.insert(key).inserted else { return }
        if only != nil {
            several = [first]
            only = nil
        }
        several.append(key)
    }

    /// Returns true if two entities have a key in common.
    func meets(_ others: JoinKeys) -> Bool {
        if let key = only { return others.contains(key) }
        return several.contains { others.contains($0) }
    }
}
