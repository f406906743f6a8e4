/// A law that did not hold, and the place where it failed.
package struct SimulationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input after which the failure showed; nil for the end of the run.
    package var input: Int?
    /// The failure in words, with the law.
    package var message: String

    package init(_ message: String, input: Int? = nil) {
        self.message = message
        self.input = input
    }

    package var description: String {
        (input.map { "after input \($0): " } ?? "at the end: ") + message
    }
}
