import Synchronization

/// A member that keeps the noncopyable structure around it at its address.
///
/// The compiler passes a structure of known layout by value: each call of a method that is neither inlined nor mutating
/// copies all of it, up to a kilobyte for the state of a cache, though nothing can change it meanwhile. An atomic value
/// has no meaning beside its address, so whatever contains one is passed by address. Nobody reads this one.
struct StablePlace: ~Copyable {
    private let anchor = Atomic<Bool>(false)
}
