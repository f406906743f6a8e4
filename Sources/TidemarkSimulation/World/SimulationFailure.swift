/// A law that did not hold, and where.
package struct SimulationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input after which it showed; nil: at the end.
    package var input: Int?
    /// What is wrong, with the law.
    package var message: String

    package init(_ message: String, input: Int? = nil) {
        self.message = message
        self.input = input
    }

    package var description: String {
        (input.map { "after input \($0): " } ?? "at the end: ") + message
    }
}
