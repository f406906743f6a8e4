/// The number of an input. Each stream of lines into a cache is an input.
package struct InputID: Hashable, Sendable {
    /// The number.
    package let rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
