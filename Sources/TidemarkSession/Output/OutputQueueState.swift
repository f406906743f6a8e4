import Tidemark
import TidemarkModel

/// The state of an ``OutputQueue``: all of its decisions, none of its threads.
struct OutputQueueState {
    /// The bound under which a line is counted.
    enum Kind {
        case notification
        case answer
    }

    private struct Entry {
        var line: [UInt8]
        var kind: Kind
        /// The number of a request to the host; nil for every other line.
        var call: Int64?
    }

    private let bounds: OutputQueue.Bounds
    /// The lines; those before `start` are taken. For the bounds see ``OutputQueue``.
    private var entries: [Entry] = []
    private var start = 0
    /// The bytes of notifications that are not written yet, including those being written.
    private(set) var notificationByteCount = 0
    private(set) var answerByteCount = 0
    /// The bytes of notifications that are being written now.
    private var takenNotificationByteCount = 0
    private var takenAnswerByteCount = 0
    /// The newest notifications of libraries that found no room, in the order in which the libraries first found none.
    private var kept = KeptNotifications()
    /// Whether a notification was refused since there last was room.
    private var hasRefused = false
    /// Whether a writer is at work, or about to be.
    var isWriting = false
    /// Whether nothing can be written any more; then every line is dropped.
    private(set) var isClosed = false
    private(set) var failure: String?
    private var letsThrough = false
    /// The readers that wait for room. Bounded by the one reader.
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    /// The waiters for the end of writing. Bounded by the one session.
    var drainWaiters: [CheckedContinuation<Void, Never>] = []

    init(bounds: OutputQueue.Bounds) {
        self.bounds = bounds
    }

    var isEmpty: Bool { start == entries.count }

    var hasRoomForNotifications: Bool { notificationByteCount < bounds.notificationByteCountMax }

    /// Whether requests that cause more answers are delayed.
    var holdsBack: Bool { answerByteCount >= bounds.answerByteCountMax && !isClosed && !letsThrough }

    mutating func append(_ line: [UInt8], as kind: Kind, call: Int64? = nil) {
        entries.append(Entry(line: line, kind: kind, call: call))
        switch kind {
        case .notification: notificationByteCount += line.count
        case .answer: answerByteCount += line.count
        }
    }

    /// - Returns: false when there is no room.
    mutating func offer(_ line: [UInt8]) -> Bool {
        guard hasRoomForNotifications else {
            hasRefused = true
            return false
        }
        append(line, as: .notification)
        return true
    }

    /// Appends a notification that another line must follow, under whichever bound has room.
    mutating func deliver(_ line: [UInt8]) {
        append(line, as: hasRoomForNotifications ? .notification : .answer)
    }

    /// Appends a notification that the library's next one of its kind replaces, now or when there is room.
    mutating func keepNewest(_ notification: KeptNotifications.Notification) {
        if hasRoomForNotifications, !kept.holds(notification) {
            append(notification.line, as: .notification)
        } else {
            kept.keep(notification)
            hasRefused = true
        }
    }

    /// Appends the notifications that found no room.
    mutating func appendKept() {
        for notification in kept.takeAll() { deliver(notification.line) }
    }

    mutating func withdraw(call number: Int64) {
        guard let index = entries[start...].firstIndex(where: { $0.call == number }) else { return }
        answerByteCount -= entries.remove(at: index).line.count
    }

    /// Takes the next lines in one piece: at most `byteCountMax` bytes, or one line that is longer. When no line is
    /// left the result is empty, and the writer is no longer at work.
    ///
    /// - Returns: The bytes, and the callers that wait for the end.
    mutating func takeBytes(_ byteCountMax: Int) -> (bytes: [UInt8], waiters: [CheckedContinuation<Void, Never>]) {
        guard !isEmpty, !isClosed else {
            isWriting = false
            defer { drainWaiters = [] }
            return ([], drainWaiters)
        }
        var bytes: [UInt8] = []
        while start < entries.count {
            let entry = entries[start]
            guard bytes.isEmpty || bytes.count + entry.line.count <= byteCountMax else { break }
            bytes += entry.line
            switch entry.kind {
            case .notification: takenNotificationByteCount += entry.line.count
            case .answer: takenAnswerByteCount += entry.line.count
            }
            entries[start].line = []
            start += 1
        }
        if start * 2 > entries.count {
            entries.removeFirst(start)
            start = 0
        }
        return (bytes, [])
    }

    /// Notes that the lines that were taken last are written.
    ///
    /// - Returns: Whether refused notifications have room again, and the callers that are no longer delayed.
    mutating func wroteBytes() -> (hasRoom: Bool, waiters: [CheckedContinuation<Void, Never>]) {
        notificationByteCount -= takenNotificationByteCount
        answerByteCount -= takenAnswerByteCount
        takenNotificationByteCount = 0
        takenAnswerByteCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        if answerByteCount <= bounds.answerByteCountMax / 2 { swap(&waiters, &roomWaiters) }
        guard hasRefused, notificationByteCount <= bounds.notificationByteCountMax / 2 else { return (false, waiters) }
        hasRefused = false
        appendKept()
        return (true, waiters)
    }

    mutating func letThrough() -> [CheckedContinuation<Void, Never>] {
        letsThrough = true
        defer { roomWaiters = [] }
        return roomWaiters
    }

    /// - Parameter failure: The error; nil when the host only closed its end.
    /// - Returns: All waiting callers.
    mutating func close(_ failure: String?) -> [CheckedContinuation<Void, Never>] {
        defer {
            roomWaiters = []
            drainWaiters = []
        }
        self.failure = failure
        isClosed = true
        isWriting = false
        entries = []
        start = 0
        notificationByteCount = 0
        answerByteCount = 0
        _ = kept.takeAll()
        return roomWaiters + drainWaiters
    }
}
