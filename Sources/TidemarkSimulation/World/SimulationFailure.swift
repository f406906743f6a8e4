/// A broken law, and where it was noticed.
package struct SimulationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The input after which the violation showed; nil for the end of the run.
    package var input: Int?
    /// The violation in words, with the law.
    package var message: String

    /// Creates a failure.
    package init(_ message: String, input: Int? = nil) {
        self.message = message
        self.input = input
    }

    /// The violation with its place.
    package var description: String {
        (input.map { "after input \($0): " } ?? "at the end: ") + message
    }
}
