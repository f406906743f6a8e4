/// Tells the inputs of one cache apart: each stream of lines has its own number.
package struct InputID: Hashable, Sendable {
    package let rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
