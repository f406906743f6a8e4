import TidemarkModel

/// The rows that entered and left a followed use.
///
/// - Source: ``ViewSet/follow(_:_:)``.
package struct UseMoves: Hashable, Sendable {
    /// The first entity of a row.
    package struct Row: Hashable, Sendable {
        /// The number of the entity, which it keeps as long as it is in a row of some use.
        package let number: UInt32
        /// The entity.
        package let key: ViewKey

        /// Creates a row.
        package init(number: UInt32, key: ViewKey) {
            self.number = number
            self.key = key
        }
    }

    /// The rows that the use has now and did not have.
    package var entered: [Row] = []
    /// The rows that the use had and does not have any more.
    package var left: [Row] = []

    /// True if nothing moved.
    package var isEmpty: Bool { entered.isEmpty && left.isEmpty }
}
