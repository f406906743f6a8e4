import Tidemark
import TidemarkMessages
import TidemarkModel

/// The state of an ``OutputQueue``. It makes all decisions, without threads.
struct OutputQueueState {
    /// The bound that a line counts towards.
    enum Kind {
        case notification
        case answer
    }

    private struct Entry {
        var line: [UInt8]
        var kind: Kind
        /// The number of a call to the host; nil for every other line.
        var call: Int64?
    }

    private let bounds: OutputQueue.Bounds
    /// The lines; those before `start` are taken. Bounded as described in ``OutputQueue``.
    private var entries: [Entry] = []
    private var start = 0
    /// The size of unwritten notifications, including those being written.
    private(set) var notificationByteCount = 0
    private(set) var answerByteCount = 0
    /// The size of the notifications being written.
    private var takenNotificationByteCount = 0
    private var takenAnswerByteCount = 0
    /// The newest notifications that found no room, in the order in which their libraries or edits first found none.
    private var kept = KeptNotifications()
    /// True if a notification was refused since there last was room.
    private var hasRefused = false
    /// True while a writer runs or is scheduled.
    var isWriting = false
    /// True once nothing can be written any more; every line is then dropped.
    private(set) var isClosed = false
    private(set) var failure: String?
    private var letsThrough = false
    /// Readers that wait for room; at most one.
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    /// Waiters for the end of writing; at most one, the session.
    var drainWaiters: [CheckedContinuation<Void, Never>] = []

    init(bounds: OutputQueue.Bounds) {
        self.bounds = bounds
    }

    var isEmpty: Bool { start == entries.count }

    var hasRoomForNotifications: Bool { notificationByteCount < bounds.notificationByteCountMax }

    /// True if requests that cause more answers must wait.
    var holdsBack: Bool { answerByteCount >= bounds.answerByteCountMax && !isClosed && !letsThrough }

    mutating func append(_ line: [UInt8], as kind: Kind, call: Int64? = nil) {
        entries.append(Entry(line: line, kind: kind, call: call))
        switch kind {
        case .notification: notificationByteCount += line.count
        case .answer: answerByteCount += line.count
        }
    }

    /// Appends a notification.
    ///
    /// - Returns: False if there is no room.
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

    /// Appends a notification, or keeps it until there is room; a newer one of the same subject and name replaces it.
    mutating func keepNewest(_ notification: KeptNotifications.Notification) {
        if hasRoomForNotifications, !kept.holds(notification) {
            append(notification.line, as: .notification)
        } else {
            kept.keep(notification)
            hasRefused = true
        }
    }

    /// Appends the kept notifications, even without room.
    mutating func appendKept() {
        for notification in kept.takeAll() { deliver(notification.line) }
    }

    mutating func withdraw(call number: Int64) {
        guard let index = entries[start...].firstIndex(where: { $0.call == number }) else { return }
        answerByteCount -= entries.remove(at: index).line.count
    }

    /// Takes the next lines in one piece: at most `byteCountMax` bytes, or one longer line. If no line is left, the
    /// result is empty and the writer counts as stopped.
    ///
    /// - Returns: The bytes, and the waiters for the end of writing.
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

    /// Records that the lines taken last are written.
    ///
    /// - Returns: True if there is room again for refused notifications; and the readers that can continue.
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

    /// Closes the queue and drops all lines.
    ///
    /// - Parameter failure: The error; nil if the host only closed its end.
    /// - Returns: All waiters.
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
