import TidemarkModel
import TidemarkStore

/// The keys of the blocks of a data file, in order: by library and type, texts before UUIDs.
protocol KeyOrder: AnyObject {
    /// Begins a walk over keys in order. Keys that no longer have a version may be among them.
    ///
    /// - Parameter start: The ``OrderedKey`` after which to begin; nil to begin with the first key.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a run is damaged.
    func keyWalk(after start: [UInt8]?) throws -> KeyWalk

    /// Records that a walk found a damaged run.
    func noteDamagedRun()

    /// Returns true if a key has a version.
    ///
    /// - Throws: ``SQLiteError``.
    func hasVersion(_ key: StoredKey) throws -> Bool
}

extension KeyOrder {
    /// Walks over the keys that have a version, in order.
    ///
    /// - Parameters:
    ///   - key: The key after which to begin; nil to begin with the first.
    ///   - visit: Called with each key until it returns false.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a run is damaged.
    func walkKeys(after key: StoredKey?, _ visit: (StoredKey) throws -> Bool) throws {
        try notingDamage {
            var walk = try keyWalk(after: key.map { OrderedKey.bytes(of: $0) })
            while let key = try walk.next() {
                if try hasVersion(key), try !visit(key) { return }
            }
        }
    }

    /// Runs a part of a walk, and records it if a run is damaged.
    ///
    /// - Throws: The error of `body`.
    func notingDamage<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as PayloadError {
            noteDamagedRun()
            throw fault
        }
    }
}
