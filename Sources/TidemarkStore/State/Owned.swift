/// A part of a noncopyable value in memory of its own, as one stored property of its owner.
///
/// The compiler follows every field of a noncopyable value through each of its functions: with the fields of the large
/// parts behind a pointer, this module takes half the time to compile. The value is noncopyable too: of one that can be
/// copied the optimizer makes copies.
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
