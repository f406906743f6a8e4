import TidemarkModel
import TidemarkViews

/// What a reader is being sent: a state, or what changed since its position. All of it is as of one position, however
/// long it takes.
struct ScopeDelivery: Sendable {
    enum Item: Sendable {
        case changed(ViewKey)
        case left(ViewKey, DepartureReason)
    }

    /// The position that the reader has behind it.
    let position: ScopePosition
    let isState: Bool
    /// The items, of one type side by side.
    let items: [Item]
    /// The index of the next item.
    private(set) var next = 0
    /// The edits of the reader that the delivery settles.
    var edits: [ByteString]
    /// True if every event was made ahead: then nothing is read any more.
    let isReady: Bool
    /// Events that were made ahead, the next one last.
    private var ready: [ReadyEvent]

    init(position: ScopePosition, isState: Bool, items: [Item], edits: [ByteString], ready: [ReadyEvent] = []) {
        self.position = position
        self.isState = isState
        self.items = items
        self.edits = edits
        self.ready = ready.reversed()
        isReady = items.isEmpty || !ready.isEmpty
    }

    /// The entities of which something was taken.
    var begunKeys: [ViewKey] {
        items[..<next].compactMap { if case .changed(let key) = $0 { key } else { nil } }
    }

    /// True if every event was taken.
    var isComplete: Bool { next == items.count }

    /// Returns the next event: entities of one type, as many as fit a line, or one departure; nil after the last, and
    /// while the next entity cannot be read.
    ///
    /// - Parameter sent: Returns what was sent of an entity at the delivery's position; nil if it cannot be read now.
    mutating func takeEvent(byteCountMax: Int, sent: (ViewKey) -> [UInt8]?) -> [UInt8]? {
        if let event = ready.popLast() {
            next += event.itemCount
            return event.bytes
        }
        guard next < items.count else { return nil }
        guard case .changed(let first) = items[next] else {
            guard case .left(let key, let reason) = items[next] else { return nil }
            next += 1
            return ScopeEnvelope.deleted(key.type, key.id, reason)
        }
        var resources: [[UInt8]] = []
        var byteCount = ScopeEnvelope.byteCountMax
        while next < items.count, case .changed(let key) = items[next], key.type == first.type {
            // An entity of the position is there at present, or was kept when it changed.
            guard let resource = sent(key) else { break }
            guard resources.isEmpty || byteCount + resource.count < byteCountMax else { break }
            byteCount += resource.count + 1
            resources.append(resource)
            next += 1
        }
        return resources.isEmpty ? nil : ScopeEnvelope.changed(first.type, resources)
    }
}

/// An event that was made before it is sent.
struct ReadyEvent: Sendable {
    let bytes: [UInt8]
    /// The items that it has.
    let itemCount: Int
}

/// The events of the last unit: what a reader just before it is sent.
struct RecentUnit: Sendable {
    /// The position before.
    let start: ScopePosition
    /// The position behind.
    let end: ScopePosition
    let items: [ScopeDelivery.Item]
    let events: [ReadyEvent]
}
