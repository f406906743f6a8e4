import Synchronization

/// A progress line for a self-test; shown only on a terminal.
final class SelftestProgress: Sendable {
    private let isShown = Output.errors().isTerminal

    func show(_ text: String) {
        guard isShown else { return }
        write("\r\u{1B}[K" + text)
    }

    func clear() {
        guard isShown else { return }
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        let errors = Output.errors()
        do throws(Failure) {
            try errors.write(text.utf8)
            try errors.flush()
        } catch {
            // Standard error is closed; the certificate goes to standard output.
            return
        }
    }
}
