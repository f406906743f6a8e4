import TidemarkModel
import TidemarkScopes

/// One client of a scope, as the engine keeps it.
final class ServedStream {
    /// A line that waits until its log is on the disk.
    struct WaitingLine {
        /// The flush that writes the log.
        let ticket: Int
        let line: ScopeLine
    }

    let stream: ScopeStream
    let request: ScopeRequest
    /// When the token's streams end, in milliseconds.
    let expiry: Int64
    var scope: ServedScope
    var reader: ScopeReader
    /// Bounded by ``ScopeServingLimits/waitingByteCountMax`` and one line.
    private(set) var waiting: [WaitingLine] = []
    private(set) var waitingByteCount = 0

    init(_ stream: ScopeStream, _ request: ScopeRequest, expiry: Int64, scope: ServedScope, reader: ScopeReader) {
        self.stream = stream
        self.request = request
        self.expiry = expiry
        self.scope = scope
        self.reader = reader
    }

    /// Keeps lines until a flush is on the disk.
    func wait(_ lines: [ScopeLine], for ticket: Int) {
        for line in lines {
            waiting.append(WaitingLine(ticket: ticket, line: line))
            waitingByteCount += line.bytes.count
        }
    }

    /// Drops the lines that wait.
    func drop() { (waiting, waitingByteCount) = ([], 0) }

    /// Takes the lines whose log is on the disk.
    func takeDurable(_ committedCount: Int) -> [ScopeLine] {
        let count = waiting.firstIndex { $0.ticket > committedCount } ?? waiting.count
        let lines = waiting[..<count].map(\.line)
        waiting.removeFirst(count)
        waitingByteCount -= lines.reduce(0) { $0 + $1.bytes.count }
        return lines
    }
}
