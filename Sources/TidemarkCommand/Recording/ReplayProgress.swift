/// Shows the progress of a replay on a terminal.
final class ReplayProgress {
    private let output: Output
    private let clock = ContinuousClock()
    private var shownAt: ContinuousClock.Instant
    private var isShown = false

    private static let interval = Duration.milliseconds(200)

    init(_ output: Output) {
        self.output = output
        shownAt = clock.now
    }

    /// Shows the progress, at most five times a second.
    func show(_ number: Int64) throws(Failure) {
        // Reading the clock costs as much as a small step.
        guard number % 256 == 0, output.isTerminal, clock.now - shownAt >= ReplayProgress.interval else { return }
        try output.write("\r\u{1B}[K".utf8)
        try output.write(output.style.paint("\(HumanText.count(number, "step")) done", .dim).utf8)
        try output.flush()
        shownAt = clock.now
        isShown = true
    }

    /// Erases the line.
    func clear() throws(Failure) {
        guard isShown else { return }
        try output.write("\r\u{1B}[K".utf8)
        try output.flush()
        isShown = false
    }
}
