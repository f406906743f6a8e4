/// A large value that is copied only when it changes while somebody else holds it: handing it on costs one count.
struct CopiedOnWrite<Value: Sendable>: Sendable {
    /// Holds the value.
    ///
    /// Sendable because the value changes only while one owner alone holds it.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
