import TidemarkModel

/// The number of one use of a shape: its rule with certain parameters.
typealias UseNumber = Int

/// The uses that one walk serves.
struct SharedUses: Sendable {
    /// The parameters of each use.
    private(set) var bindings: [UseNumber: ViewBinding] = [:]
    /// The uses by the keys of the parameter that tells them apart.
    private var routes: [ByteString: Set<UseNumber>] = [:]

    /// The uses with a key.
    func uses(_ key: ByteString) -> Set<UseNumber> { routes[key] ?? [] }

    mutating func add(_ use: UseNumber, _ binding: ViewBinding, keys: JoinKeys) {
        bindings[use] = binding
        for key in keys { routes[key, default: []].insert(use) }
    }

    mutating func remove(_ use: UseNumber, keys: JoinKeys) {
        bindings[use] = nil
        for key in keys {
            routes[key]?.remove(use)
            if routes[key]?.isEmpty == true { routes[key] = nil }
        }
    }
}
