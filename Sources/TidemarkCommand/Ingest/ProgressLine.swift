import TidemarkModel

/// A progress line on a terminal, which is overwritten at each update: lines, rate, lag.
struct ProgressLine {
    private let output: Output
    private let columnCount: Int?
    private let now: () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var shownLineCount: Int64 = 0

    /// The minimum time between two updates. Each update is a system call between two blocks of input.
    static let interval = Duration.milliseconds(200)

    init(_ output: Output) {
        self.init(output, columnCount: output.isTerminal ? output.columnCount : nil, now: { ContinuousClock.now })
    }

    /// Creates a line that is not yet shown.
    ///
    /// - Parameters:
    ///   - columnCount: The width of the terminal; nil if the output is not a terminal, and nothing is shown.
    ///   - now: Returns the current time; replaced in tests.
    init(_ output: Output, columnCount: Int?, now: @escaping () -> ContinuousClock.Instant) {
        self.output = output
        self.columnCount = columnCount
        self.now = now
        start = now()
    }

    /// Shows the progress, at most five times a second and only on a terminal.
    mutating func show(_ progress: IngestProgress) throws(Failure) {
        let now = now()
        guard let columnCount, now - (shownAt ?? start) >= ProgressLine.interval else { return }
        let milliseconds = max(1, (now - (shownAt ?? start)).milliseconds)
        let rate = (progress.lineCount - shownLineCount) * 1_000 / milliseconds
        let lag = progress.lineCount - progress.durableLineCount
        let text =
            "\(HumanText.count(progress.lineCount, "line")), \(HumanText.count(rate))/s, "
            + "\(HumanText.count(lag)) not yet durable"
            + behind(progress, rate)
            + (progress.heldCount > 0 ? ", \(HumanText.count(progress.heldCount)) waiting for a gap" : "")
        try output.write("\r\u{1B}[K".utf8)
        try output.write(output.style.paint(Printable.excerpt(text, count: columnCount - 1), .dim).utf8)
        try output.flush()
        shownAt = now
        shownLineCount = progress.lineCount
    }

    /// Returns how many messages a stream still has, and how long they will take.
    private func behind(_ progress: IngestProgress, _ rate: Int64) -> String {
        guard let count = progress.pendingCount, count > 0 else { return "" }
        let left = rate > 0 ? ", \(HumanText.duration(milliseconds: count * 1_000 / rate)) left" : ""
        return ", \(HumanText.count(count)) behind\(left)"
    }

    /// Erases the line, so that the next output starts on a clean one.
    func clear() throws(Failure) {
        guard shownAt != nil else { return }
        try output.write("\r\u{1B}[K".utf8)
        try output.flush()
    }
}
