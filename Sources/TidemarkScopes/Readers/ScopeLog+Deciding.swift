import TidemarkModel
import TidemarkViews

/// What is needed to write the lines of one scope.
struct ScopeWriting<Source: ScopeSource> {
    let library: ByteString
    let secret: ScopeSecret
    let source: Source
    /// A random number, for an epoch.
    let nonce: UInt64
    /// The type that an empty batch names.
    let firstType: ByteString
    /// True while the source library is stale.
    let isStale: Bool
}

extension ScopeLog {
    /// Decides what a reader is sent next.
    ///
    /// A reader is at a position, and everything since is one unit for it: the unit that just happened, all that it
    /// missed while it was away, and all that was merged because it reads slowly.
    ///
    /// - Parameter room: The bytes that may be written. The last line may exceed them.
    /// - Returns: Lines to write in their order; none if there is nothing to send, or no room.
    mutating func decide(
        _ reader: inout ScopeReader, room: Int, _ writing: ScopeWriting<some ScopeSource>
    ) -> [ScopeLine] {
        var lines: [ScopeLine] = []
        var byteCount = 0
        attach(&reader, writing)
        while byteCount < room, !reader.isEnded, let line = nextLine(&reader, writing) {
            byteCount += line.bytes.count + 1
            lines.append(line)
        }
        if let delivery = reader.delivery, !delivery.isReady, !reader.holdsSnapshot {
            snapshots.hold(delivery.position)
            reader.holdsSnapshot = true
        }
        return lines
    }

    /// True if a reader was sent everything.
    func isCaughtUp(_ reader: ScopeReader) -> Bool {
        reader.log == identity && reader.position == head && reader.delivery == nil && !reader.isResuming
            && notes.edits(of: reader.subject, from: reader.noteSerial).isEmpty
    }

    /// The units that a reader still has to be sent. A state, or a unit under way, counts as one.
    func lag(of reader: ScopeReader) -> Int {
        guard reader.log == identity, let position = reader.position else { return 1 }
        let behind = head.rawValue > position.rawValue ? Int(head.rawValue - position.rawValue) : 0
        return behind + (reader.delivery == nil ? 0 : 1)
    }

    /// Ends a reader's part in the log. Call it before a reader is dropped.
    mutating func detach(_ reader: inout ScopeReader) {
        if let delivery = reader.delivery, reader.holdsSnapshot { snapshots.release(delivery.position) }
        reader.holdsSnapshot = false
        reader.delivery = nil
    }

    /// Finds the place where a reader goes on. One that cannot be served there is sent a state.
    private func attach(_ reader: inout ScopeReader, _ writing: ScopeWriting<some ScopeSource>) {
        guard reader.log != identity else { return }
        reader.log = identity
        (reader.epoch, reader.last, reader.position, reader.delivery) = (nil, nil, nil, nil)
        reader.holdsSnapshot = false
        guard let resumption = reader.resumption else { return }
        reader.resumption = nil
        guard
            let (epoch, position) = position(
                of: resumption, for: reader.subject, library: writing.library, writing.secret)
        else { return }
        reader.epoch = epoch
        reader.last = resumption.after
        reader.position = position
        reader.noteSerial = notes.serial(after: position)
        reader.isResuming = true
    }

    /// Where a client goes on; nil if it cannot be served from there.
    func position(
        of resumption: ScopeReader.Resumption, for subject: ByteString, library: ByteString, _ secret: ScopeSecret
    ) -> (epoch: ScopeEpoch, position: ScopePosition)? {
        let name = name(for: subject, library, secret)
        guard let epoch = ScopeEpoch(resumption.epoch, log: name, secret),
            let position = epoch.position(of: resumption.after), canServe(position)
        else { return nil }
        return (epoch, position)
    }

    /// The name of the log for a subject's epochs, which no other subject can use, and no other scope.
    private func name(for subject: ByteString, _ library: ByteString, _ secret: ScopeSecret) -> [UInt8] {
        secret.code("log", [identity, library.bytes, subject.bytes])
    }

    private mutating func nextLine(
        _ reader: inout ScopeReader, _ writing: ScopeWriting<some ScopeSource>
    ) -> ScopeLine? {
        if let position = reader.delivery?.position {
            guard endsForAll, position < head else { return deliver(&reader, writing) }
            breakOff(&reader)
        }
        // Behind the end of a scope the state is empty: so everything leaves, whatever the client had.
        guard let position = reader.position else { return beginState(&reader, writing) }
        let edits = notes.edits(of: reader.subject, from: reader.noteSerial)
        // Those of others are not looked at again.
        if edits.isEmpty { reader.noteSerial = notes.end }
        if position < head || !edits.isEmpty {
            guard canServe(position), let delivery = difference(reader, from: position, edits, writing) else {
                reader.position = nil
                return beginState(&reader, writing)
            }
            // It waits until another one ends; meanwhile nothing is forgotten that it needs.
            guard delivery.isReady || snapshots.canHold(head, limits) else { return nil }
            reader.begunKeys = []
            reader.noteSerial = notes.end
            reader.position = head
            if !delivery.isComplete || !delivery.edits.isEmpty {
                reader.delivery = delivery
                return deliver(&reader, writing)
            }
        }
        if reader.isResuming {
            reader.isResuming = false
            return heartbeat(reader, isStale: writing.isStale, library: writing.library)
        }
        return ending.map { reader.end($0) }
    }

    /// True if nobody may see anything of the scope any more.
    private var endsForAll: Bool { ending == .forbidden || ending == .notFound }

    /// Breaks off a delivery of what was to be seen before the end. Of a unit, the departures follow, also of what
    /// was sent of it already.
    mutating func breakOff(_ reader: inout ScopeReader) {
        guard let delivery = reader.delivery else { return }
        detach(&reader)
        guard !delivery.isState, let last = reader.last else { return }
        reader.begunKeys = delivery.begunKeys
        reader.position = reader.epoch?.position(of: last)
    }

    // MARK: Beginning

    private mutating func beginState(
        _ reader: inout ScopeReader, _ writing: ScopeWriting<some ScopeSource>
    ) -> ScopeLine? {
        guard snapshots.canHold(head, limits) else { return nil }
        let name = name(for: reader.subject, writing.library, writing.secret)
        let epoch = ScopeEpoch(base: head, log: name, nonce: writing.nonce, writing.secret)
        let keys =
            snapshots.keys(at: head)
            ?? members.numbers.map { writing.source.key(of: $0) }.sorted(by: ScopeKeyOrder.precedes)
        snapshots.hold(head)
        snapshots.keep(keys, at: head)
        reader.holdsSnapshot = true
        reader.epoch = epoch
        reader.last = ScopeNumber(unit: 0)
        // Behind a state, its reader is told of every edit of its own that is kept: it may have missed any.
        reader.noteSerial = 0
        reader.isResuming = false
        reader.delivery = ScopeDelivery(
            position: head, isState: true, items: keys.map { .changed($0) }, edits: [])
        let envelope = ScopeEnvelope(library: writing.library, epoch: epoch.text)
        return ScopeLine(
            envelope.line(ScopeEnvelope.reset, number: reader.last, previous: nil), number: reader.last,
            epoch: epoch.text, position: head)
    }

    /// The delivery of everything since a position; nil if it has more lines than numbers.
    private mutating func difference(
        _ reader: ScopeReader, from position: ScopePosition, _ edits: [ByteString],
        _ writing: ScopeWriting<some ScopeSource>
    ) -> ScopeDelivery? {
        if let recent, recent.start == position, recent.end == head, reader.begunKeys.isEmpty {
            return ScopeDelivery(
                position: head, isState: false, items: recent.items, edits: edits, ready: recent.events)
        }
        var difference = self.difference(since: position)
        let changed = difference.changed.map { writing.source.key(of: $0) }.sorted(by: ScopeKeyOrder.precedes)
        if !reader.begunKeys.isEmpty {
            let known = Set(difference.left.map(\.key)).union(changed)
            difference.left += reader.begunKeys.filter { !known.contains($0) }.map { ($0, .scope) }
        }
        let lineCount = difference.changed.count + difference.left.count + edits.count
        guard lineCount + (reader.last?.line ?? 0) <= ScopeNumber.lineCountMax else { return nil }
        let left = difference.left.sorted { ScopeKeyOrder.precedes($0.key, $1.key) }
        let items: [ScopeDelivery.Item] = changed.map { .changed($0) } + left.map { .left($0.key, $0.reason) }
        var delivery = ScopeDelivery(position: head, isState: false, items: items, edits: edits)
        guard 1...ScopeLog.recentItemCountMax ~= items.count else { return delivery }
        var events: [ReadyEvent] = []
        while case let start = delivery.next, let event = takeEvent(&delivery, writing) {
            events.append(ReadyEvent(bytes: event, itemCount: delivery.next - start))
        }
        guard delivery.isComplete, events.reduce(0, { $0 + $1.bytes.count }) <= ScopeLog.recentByteCountMax else {
            return ScopeDelivery(position: head, isState: false, items: items, edits: edits)
        }
        if reader.begunKeys.isEmpty {
            recent = RecentUnit(start: position, end: head, items: items, events: events)
        }
        return ScopeDelivery(position: head, isState: false, items: items, edits: edits, ready: events)
    }

    /// The largest unit whose events are made once for all readers.
    private static let recentItemCountMax = 64
    private static let recentByteCountMax = 64 << 10

    // MARK: Delivering

    private func takeEvent(
        _ delivery: inout ScopeDelivery, _ writing: ScopeWriting<some ScopeSource>
    ) -> [UInt8]? {
        let position = delivery.position
        return delivery.takeEvent(byteCountMax: limits.lineByteCountMax) { key in
            snapshots.saved(key, at: position) ?? writing.source.sent(key)
        }
    }

    /// The next line of a delivery, and its end.
    private mutating func deliver(
        _ reader: inout ScopeReader, _ writing: ScopeWriting<some ScopeSource>
    ) -> ScopeLine? {
        guard var delivery = reader.delivery, let epoch = reader.epoch, let last = reader.last else { return nil }
        // Out of the reader while it changes, so that its items are not copied.
        reader.delivery = nil
        let envelope = ScopeEnvelope(library: writing.library, epoch: epoch.text)
        if delivery.isState { return stateLine(&delivery, &reader, envelope, epoch, last, writing) }
        // Edits that are settled by themselves go first: those behind them show as one with the last line.
        let showsNothing = delivery.isComplete
        let event: [UInt8]
        var mutationID: ByteString?
        if let edit = delivery.edits.first, delivery.edits.count > 1 || showsNothing {
            delivery.edits.removeFirst()
            event = ScopeEnvelope.changed(writing.firstType, [])
            mutationID = edit
        } else {
            guard let taken = takeEvent(&delivery, writing) else {
                // The entity's row cannot be read at the moment: the delivery goes on with it later.
                reader.delivery = delivery
                return nil
            }
            event = taken
            if delivery.isComplete { mutationID = delivery.edits.popLast() }
        }
        let isLast = delivery.isComplete && delivery.edits.isEmpty
        let number = isLast && !showsNothing ? epoch.number(of: delivery.position) : last.nextLine
        let line = envelope.line(
            event, number: number, previous: last, hasMore: !isLast && !showsNothing, mutationID: mutationID)
        reader.last = number
        if isLast { finish(&reader, delivery) } else { reader.delivery = delivery }
        return ScopeLine(line, number: number, epoch: epoch.text, position: delivery.position)
    }

    /// A line of a state: entities, or the heartbeat that ends it.
    private mutating func stateLine(
        _ delivery: inout ScopeDelivery, _ reader: inout ScopeReader, _ envelope: ScopeEnvelope,
        _ epoch: ScopeEpoch, _ last: ScopeNumber, _ writing: ScopeWriting<some ScopeSource>
    ) -> ScopeLine? {
        let number: ScopeNumber
        let event: [UInt8]
        if let entities = takeEvent(&delivery, writing) {
            number = last.nextLine
            event = entities
            reader.delivery = delivery
        } else if !delivery.isComplete {
            // The entity's row cannot be read at the moment: the delivery goes on with it later.
            reader.delivery = delivery
            return nil
        } else {
            number = epoch.number(of: delivery.position)
            event = ScopeEnvelope.heartbeat(number, isStale: writing.isStale)
            reader.position = delivery.position
            finish(&reader, delivery)
        }
        reader.last = number
        return ScopeLine(
            envelope.line(event, number: number, previous: last), number: number, epoch: epoch.text,
            position: delivery.position)
    }

    private mutating func finish(_ reader: inout ScopeReader, _ delivery: ScopeDelivery) {
        if reader.holdsSnapshot { snapshots.release(delivery.position) }
        reader.holdsSnapshot = false
        reader.delivery = nil
    }

    // MARK: Heartbeats

    /// The line that shows that the stream is alive; nil while something is being sent.
    ///
    /// It repeats the reader's own last number. That of the log would tell of units that showed the reader nothing.
    func heartbeat(_ reader: ScopeReader, isStale: Bool, library: ByteString) -> ScopeLine? {
        guard reader.delivery == nil, let epoch = reader.epoch, let last = reader.last, let position = reader.position
        else { return nil }
        let envelope = ScopeEnvelope(library: library, epoch: epoch.text)
        return ScopeLine(
            envelope.line(ScopeEnvelope.heartbeat(last, isStale: isStale), number: nil, previous: nil),
            epoch: epoch.text, position: position)
    }
}
