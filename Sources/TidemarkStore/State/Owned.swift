/// A part of a noncopyable value in its own memory, as one stored property of its owner.
///
/// The compiler tracks every field of a noncopyable value through each of its functions. With the fields of the large
/// parts behind a pointer, this module compiles in half the time. The value is noncopyable too, because the optimizer
/// copies copyable ones.
struct Owned<Value: ~Copyable>: ~Copyable {
    private let pointer: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: value)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    var value: Value {
        @inline(__always) _read { yield pointer.pointee }
        @inline(__always) _modify { yield &pointer.pointee }
    }
}
