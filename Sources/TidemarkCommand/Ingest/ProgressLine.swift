import TidemarkModel

/// One line on a terminal that is written over and over: lines, rate, lag.
struct ProgressLine {
    private let output: Output
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var shownLineCount: Int64 = 0

    /// Often enough to be lively; each write is a system call between two blocks of input.
    private static let interval = Duration.milliseconds(200)

    init(_ output: Output) {
        self.output = output
        start = clock.now
    }

    /// Shows where the ingest stands, five times a second at most and on a terminal only.
    mutating func show(_ progress: IngestProgress) throws(Failure) {
        let now = clock.now
        guard output.isTerminal, now - (shownAt ?? start) >= ProgressLine.interval else { return }
        let milliseconds = max(1, (now - (shownAt ?? start)).milliseconds)
        let rate = (progress.lineCount - shownLineCount) * 1_000 / milliseconds
        let lag = progress.lineCount - progress.durableLineCount
        let text =
            "\(HumanText.count(progress.lineCount, "line")), \(HumanText.count(rate))/s, "
            + "\(HumanText.count(lag)) not yet durable"
            + (progress.heldCount > 0 ? ", \(HumanText.count(progress.heldCount)) waiting for a gap" : "")
        try output.write("\r\u{1B}[K".utf8)
        try output.write(output.style.paint(Printable.excerpt(text, count: output.columnCount - 1), .dim).utf8)
        try output.flush()
        shownAt = now
        shownLineCount = progress.lineCount
    }

    /// Takes the line away, so that what follows starts on a clean one.
    func clear() throws(Failure) {
        guard shownAt != nil else { return }
        try output.write("\r\u{1B}[K".utf8)
        try output.flush()
    }
}
