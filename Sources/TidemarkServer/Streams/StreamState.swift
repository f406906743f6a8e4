import TidemarkModel
import TidemarkSession

/// The state of a stream of notifications: all of its decisions, none of its tasks.
///
/// The lines stand in one order and have numbers from 1. Those before `next` were sent on some connection and are kept,
/// because the connection may have lost them; a client that comes back names the last one that it has seen.
///
/// Bounded: notifications that wait by `waitingByteCountMax`, beyond which the cache merges changes; sent lines by
/// `sentByteCountMax`, beyond which the oldest are forgotten; late answers by `lateAnswerByteCountMax`, beyond which
/// the stream ends; notifications of libraries by the number of libraries. Both of the first are shares of what all
/// streams may take, which change with their number (``limit(_:)``).
struct StreamState {
    /// The reason why a stream has ended.
    enum End: Hashable {
        /// The server stops.
        case bye
        /// Something was lost: the client must observe again.
        case gone
    }

    /// The next step of the connection that sends the lines.
    enum Step: Equatable {
        /// Send this text.
        ///
        /// - Parameter hasRoom: Whether notifications that were refused have room again.
        case send([UInt8], hasRoom: Bool)
        case wait
        /// The client has come back on another connection.
        case replaced
        case end(End)
    }

    private struct Line {
        var number: Int64
        var bytes: [UInt8]
        var isAnswer: Bool
    }

    private var limits: ServerLimits
    /// The lines; those before `first` are forgotten, and their bytes are released.
    private var lines: [Line] = []
    private var first = 0
    /// The position of the next line to send.
    private var next = 0
    private var nextNumber: Int64 = 1
    private var sentByteCount = 0
    private var notificationByteCount = 0
    private var answerByteCount = 0
    /// The newest notifications of libraries that found no room.
    private var kept = KeptNotifications()
    /// Whether a notification was refused since there last was room.
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

    /// The bytes that are kept in memory.
    var byteCount: Int { sentByteCount + notificationByteCount + answerByteCount }

    /// The bytes of late answers that wait.
    var waitingAnswerByteCount: Int { answerByteCount }

    /// Takes other bounds, and releases at once what is past them.
    mutating func limit(_ limits: ServerLimits) {
        self.limits = limits
        forgetSent()
    }

    // MARK: Lines

    /// Appends a notification if there is room.
    mutating func offer(_ line: [UInt8]) -> Bool {
        guard hasRoom else {
            hasRefused = true
            return false
        }
        append(line, isAnswer: false)
        return true
    }

    /// Appends a notification that must not wait, or a late answer.
    mutating func append(late line: [UInt8]) {
        append(line, isAnswer: true)
        if answerByteCount > limits.lateAnswerByteCountMax { finish(.gone) }
    }

    /// Appends a notification that the library's next one of its kind replaces, now or when there is room.
    mutating func keepNewest(_ notification: KeptNotifications.Notification) {
        guard end == nil else { return }
        if hasRoom, !kept.holds(notification) {
            append(notification.line, isAnswer: false)
        } else {
            kept.keep(notification)
            hasRefused = true
        }
    }

    /// Appends the notifications that found no room: an answer is about to be written, which must come after them.
    mutating func appendKept() {
        for notification in kept.takeAll() { append(notification.line, isAnswer: !hasRoom) }
    }

    private mutating func append(_ line: [UInt8], isAnswer: Bool) {
        guard end == nil else { return }
        // A writer's array may be twice as large as the line, for as long as the line is kept.
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

    /// Makes a new connection the one that sends.
    ///
    /// - Parameter last: The number of the last line that the client has seen; 0: none.
    /// - Returns: The number of the connection; nil when lines behind `last` are forgotten, or `last` was never sent.
    mutating func attach(after last: Int64) -> Int? {
        let firstKept = nextNumber - Int64(lines.count - first)
        guard end == nil, last + 1 >= firstKept, last < nextNumber else { return nil }
        let seen = first + Int(last + 1 - firstKept)
        for index in first..<max(seen, next) {
            // A client may name a line that waits: it was written on a connection that broke meanwhile.
            if index < next { sentByteCount -= lines[index].bytes.count } else { count(lines[index], by: -1) }
            if index >= seen { count(lines[index], by: 1) }
        }
        forget(through: seen)
        next = first
        connectionCount += 1
        connection = connectionCount
        return connectionCount
    }

    /// Notes that a connection is over.
    ///
    /// - Returns: Whether the stream now has none.
    mutating func detach(_ number: Int) -> Bool {
        guard connection == number else { return false }
        connection = nil
        return true
    }

    /// Ends the stream: nothing more is appended, and lines that wait are dropped.
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

    /// Asks for a comment, so that a client that is gone is noticed.
    mutating func requestComment() { isCommentDue = connection != nil }

    /// Takes the next lines as text for a connection.
    ///
    /// - Parameter byteCountMax: The bound of the text, passed only by a single line that is longer.
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

    /// Releases the lines before a position. The array is cut only when half of it is forgotten, so that the cost of a
    /// line does not grow with the lines that are kept.
    private mutating func forget(through end: Int) {
        for index in first..<end { lines[index].bytes = [] }
        first = end
        guard first * 2 > lines.count else { return }
        lines.removeFirst(first)
        next = max(0, next - first)
        first = 0
    }
}

/// The text of server-sent events.
///
/// - Source: HTML, 9.2 server-sent events.
enum EventText {
    static let comment = Array(":\n\n".utf8)

    /// Appends an event with a number.
    ///
    /// - Parameter line: JSON on one line, with its LF.
    static func append(_ line: [UInt8], number: Int64, to text: inout [UInt8]) {
        text += "id: \(number)\ndata: ".utf8
        let start = text.count
        text += line
        // A CR ends a line of this format. In JSON it stands only between tokens, where a space says the same.
        for index in start..<text.count where text[index] == 0x0D { text[index] = 0x20 }
        if text.last != 0x0A { text.append(0x0A) }
        text.append(0x0A)
    }

    /// Returns an event with a name, which a client must not take for a notification.
    static func named(_ name: String, stream: String) -> [UInt8] {
        Array("event: \(name)\ndata: {\"stream\":\"\(stream)\"}\n\n".utf8)
    }
}
