import Tidemark
import TidemarkModel

/// What an ``Outbox`` holds; all of its decisions, none of its threads.
struct OutboxState {
    /// By which bound a line is counted.
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

    private let bounds: Outbox.Bounds
    /// Those before `start` are taken. Bounds: see ``Outbox``.
    private var entries: [Entry] = []
    private var start = 0
    /// Not written yet, what is being written included.
    private(set) var notificationByteCount = 0
    private(set) var answerByteCount = 0
    /// Being written now.
    private var takenNotificationByteCount = 0
    private var takenAnswerByteCount = 0
    /// Of what found no room the newest of each library, in the order in which the libraries first found none.
    private var kept = KeptNotifications()
    /// A notification was refused since there last was room.
    private var hasRefused = false
    /// A writer is at work, or about to be.
    var isWriting = false
    /// Nothing can be written any more; everything is dropped.
    private(set) var isClosed = false
    private(set) var failure: String?
    private var letsThrough = false
    /// Bounded by the one reader.
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    /// Bounded by the one session.
    var drainWaiters: [CheckedContinuation<Void, Never>] = []

    init(bounds: Outbox.Bounds) {
        self.bounds = bounds
    }

    var isEmpty: Bool { start == entries.count }

    var hasRoomForNotifications: Bool { notificationByteCount < bounds.notificationByteCountMax }

    /// Whether more answers should not be brought about.
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

    /// Appends a notification that something else must follow, by whichever bound has room.
    mutating func deliver(_ line: [UInt8]) {
        append(line, as: hasRoomForNotifications ? .notification : .answer)
    }

    /// Appends what a library's newest notification of its kind replaces, now or when there is room.
    mutating func keepNewest(_ notification: KeptNotifications.Notification) {
        if hasRoomForNotifications, !kept.holds(notification) {
            append(notification.line, as: .notification)
        } else {
            kept.keep(notification)
            hasRefused = true
        }
    }

    /// Appends what found no room.
    mutating func appendKept() {
        for notification in kept.takeAll() { deliver(notification.line) }
    }

    mutating func withdraw(call number: Int64) {
        guard let index = entries[start...].firstIndex(where: { $0.call == number }) else { return }
        answerByteCount -= entries.remove(at: index).line.count
    }

    /// The next lines in one piece: at most so many bytes, or one line that is longer. Empty when none is left: the writer
    /// is then no longer at work.
    ///
    /// - Returns: Also whoever waits for the end.
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

    /// What was taken last is written.
    ///
    /// - Returns: Whether refused notifications have room again, and whoever is held back no longer.
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

    /// - Parameter failure: nil when the host only went away.
    /// - Returns: Everybody who waits.
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
