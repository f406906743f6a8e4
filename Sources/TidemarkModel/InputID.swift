/// The number of an input; each stream of lines into a cache has its own.
package struct InputID: Hashable, Sendable {
    package let rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
