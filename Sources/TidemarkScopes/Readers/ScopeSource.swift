import TidemarkModel
import TidemarkViews

/// What a log reads to write lines: the entities as the scope shows them at present.
protocol ScopeSource {
    /// The entity with a number in the views.
    func key(of number: UInt32) -> ViewKey

    /// What the scope sends of an entity; nil if the library does not have it.
    func sent(_ key: ViewKey) -> [UInt8]?
}

/// The order of keys: that of the bytes of `type:id`.
enum ScopeKeyOrder {
    /// Returns true if a key precedes another one.
    static func precedes(_ left: ViewKey, _ right: ViewKey) -> Bool {
        left.type == right.type ? left.id < right.id : left < right
    }
}
