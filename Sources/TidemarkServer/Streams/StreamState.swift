import TidemarkModel
import TidemarkSession

/// The state of one notification stream. It makes all decisions, without tasks.
///
/// Lines are ordered and numbered from 1. Lines before `next` were sent on some connection and are kept, because that
/// connection may have lost them; a returning client names the last line it has seen.
///
/// Bounds: unsent notifications by `waitingByteCountMax`, past which the cache merges changes; sent lines by
/// `sentByteCountMax`, past which the oldest are dropped; late answers by `lateAnswerByteCountMax`, past which the
/// stream ends; library notifications by the number of libraries. The first two are shares of a common budget, which
/// change with the number of streams (``limit(_:)``).
struct StreamState {
    /// Why a stream ended.
    enum End: Hashable {
        /// The server is stopping.
        case bye
        /// Lines were lost: the client must observe again.
        case gone
    }

    /// What the sending connection does next.
    enum Step: Equatable {
        /// Send this text.
        ///
        /// - Parameter hasRoom: True if notifications that were refused now have room.
        case send([UInt8], hasRoom: Bool)
        case wait
        /// Another connection has replaced this one.
        case replaced
        case end(End)
    }

    private struct Line {
        var number: Int64
        var bytes: [UInt8]
        var isAnswer: Bool
    }

    private var limits: ServerLimits
    /// The lines. Those before `first` are dropped and their bytes released.
    private var lines: [Line] = []
    private var first = 0
    /// The index of the next line to send.
    private var next = 0
    private var nextNumber: Int64 = 1
    private var sentByteCount = 0
    private var notificationByteCount = 0
    private var answerByteCount = 0
    /// The newest notifications that found no room: of libraries, durable positions and the outbox.
    private var kept = KeptNotifications()
    /// True if a notification was refused since there last was room.
    private var hasRefused = false
    private var isCommentDue = false
    private(set) var end: End?
    /// The connection that sends the lines; nil while there is none.
    private(set) var connection: Int?
    private var connectionCount = 0

    init(limits: ServerLimits) {
        self.limits = limits
    }

    private var hasRoom: Bool { notificationByteCount < limits.waitingByteCountMax }

    /// The size of all lines in memory.
    var byteCount: Int { sentByteCount + notificationByteCount + answerByteCount }

    /// The size of the unsent late answers.
    var waitingAnswerByteCount: Int { answerByteCount }

    /// Replaces the limits, and drops sent lines that exceed them.
    mutating func limit(_ limits: ServerLimits) {
        self.limits = limits
        forgetSent()
    }

    // MARK: Lines

    /// Appends a notification if there is room; returns false if there is none.
    mutating func offer(_ line: [UInt8]) -> Bool {
        guard hasRoom else {
            hasRefused = true
            return false
        }
        append(line, isAnswer: false)
        return true
    }

    /// Appends a late answer, or a notification that must not be merged. Ends the stream if too many wait.
    mutating func append(late line: [UInt8]) {
        append(line, isAnswer: true)
        if answerByteCount > limits.lateAnswerByteCountMax { finish(.gone) }
    }

    /// Appends a notification, or keeps it until there is room; a newer one of the same kind and library replaces it.
    mutating func keepNewest(_ notification: KeptNotifications.Notification) {
        guard end == nil else { return }
        if hasRoom, !kept.holds(notification) {
            append(notification.line, isAnswer: false)
        } else {
            kept.keep(notification)
            hasRefused = true
        }
    }

    /// Appends the kept notifications; call it before an answer is written, because they must precede it.
    mutating func appendKept() {
        for notification in kept.takeAll() { append(notification.line, isAnswer: !hasRoom) }
    }

    private mutating func append(_ line: [UInt8], isAnswer: Bool) {
        guard end == nil else { return }
        // Growth may leave the array twice as large as the line; shrink it, because the line is kept.
        let bytes = line.capacity - line.count > line.count / 4 ? line.withUnsafeBufferPointer { Array($0) } : line
        lines.append(Line(number: nextNumber, bytes: bytes, isAnswer: isAnswer))
        nextNumber += 1
        count(lines[lines.count - 1], by: 1)
    }

    private mutating func count(_ line: Line, by sign: Int) {
        if line.isAnswer {
            answerByteCount += sign * line.bytes.count
        } else {
            notificationByteCount += sign * line.bytes.count
        }
    }

    // MARK: Connections

    /// Makes a new connection the sender.
    ///
    /// - Parameter last: The number of the last line that the client has seen; 0 for none.
    /// - Returns: The connection's number; nil if lines after `last` were dropped, or `last` was never sent.
    mutating func attach(after last: Int64) -> Int? {
        let firstKept = nextNumber - Int64(lines.count - first)
        guard end == nil, last + 1 >= firstKept, last < nextNumber else { return nil }
        let seen = first + Int(last + 1 - firstKept)
        for index in first..<max(seen, next) {
            // The client may have seen a line that counts as unsent: it was written on a connection that then broke.
            if index < next { sentByteCount -= lines[index].bytes.count } else { count(lines[index], by: -1) }
            if index >= seen { count(lines[index], by: 1) }
        }
        forget(through: seen)
        next = first
        connectionCount += 1
        connection = connectionCount
        return connectionCount
    }

    /// Records that a connection ended.
    ///
    /// - Returns: True if the stream now has none.
    mutating func detach(_ number: Int) -> Bool {
        guard connection == number else { return false }
        connection = nil
        return true
    }

    /// Ends the stream: drops all lines and accepts no more.
    mutating func finish(_ end: End) {
        guard self.end == nil else { return }
        self.end = end
        lines = []
        first = 0
        next = 0
        sentByteCount = 0
        notificationByteCount = 0
        answerByteCount = 0
        _ = kept.takeAll()
    }

    /// Schedules a comment, which reveals a client that is gone.
    mutating func requestComment() { isCommentDue = connection != nil }

    /// Returns the next lines as text for a connection.
    ///
    /// - Parameter byteCountMax: The maximum size of the text; a single longer line may exceed it.
    mutating func step(_ number: Int, byteCountMax: Int) -> Step {
        if let end { return .end(end) }
        guard connection == number else { return .replaced }
        var text: [UInt8] = []
        while next < lines.count, text.isEmpty || text.count + lines[next].bytes.count < byteCountMax {
            let line = lines[next]
            EventText.append(line.bytes, number: line.number, to: &text)
            count(line, by: -1)
            sentByteCount += line.bytes.count
            next += 1
        }
        if text.isEmpty, isCommentDue { text = EventText.comment }
        guard !text.isEmpty else { return .wait }
        isCommentDue = false
        forgetSent()
        let tellsRoom = hasRefused && notificationByteCount <= limits.waitingByteCountMax / 2
        if tellsRoom {
            hasRefused = false
            appendKept()
        }
        return .send(text, hasRoom: tellsRoom)
    }

    private mutating func forgetSent() {
        var end = first
        while end < next, sentByteCount > limits.sentByteCountMax {
            sentByteCount -= lines[end].bytes.count
            end += 1
        }
        forget(through: end)
    }

    /// Releases the lines before an index. The array shrinks only when more than half of it is released, so the
    /// amortized cost per line is constant.
    private mutating func forget(through end: Int) {
        for index in first..<end { lines[index].bytes = [] }
        first = end
        guard first * 2 > lines.count else { return }
        lines.removeFirst(first)
        next = max(0, next - first)
        first = 0
    }
}

/// Formats server-sent events.
///
/// - Source: HTML, 9.2 server-sent events.
enum EventText {
    static let comment = Array(":\n\n".utf8)

    /// Appends a numbered event.
    ///
    /// - Parameter line: JSON on one line, with its LF.
    static func append(_ line: [UInt8], number: Int64, to text: inout [UInt8]) {
        text += "id: \(number)\ndata: ".utf8
        let start = text.count
        text += line
        // A CR ends a line in this format. In JSON it occurs only between tokens, where a space is equivalent.
        for index in start..<text.count where text[index] == 0x0D { text[index] = 0x20 }
        if text.last != 0x0A { text.append(0x0A) }
        text.append(0x0A)
    }

    /// Returns a named event; the name tells clients that it is not a notification.
    static func named(_ name: String, stream: String) -> [UInt8] {
        Array("event: \(name)\ndata: {\"stream\":\"\(stream)\"}\n\n".utf8)
    }
}
