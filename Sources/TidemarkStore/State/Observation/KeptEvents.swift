import TidemarkModel

/// The last events with their content, and every entity that each of them wrote, before and after: for people who look
/// for the event that made an entity wrong.
///
/// An event costs one copy of its bytes and of the bytes that it replaced, into chunks that are never moved. Nobody
/// reads them on the cache's executor: a reader gets the chunks, which cost a count of references, and parses them
/// elsewhere (``select(_:)``).
///
/// Bound: ``byteCountMax`` bytes of chunks; past it the oldest chunk is dropped. 0: nothing is kept, and an event costs
/// one test.
///
/// - Source: Protocol/sessions.md, log.list.
package struct KeptEvents: Sendable {
    /// Consecutive events in one array that was reserved for them.
    struct Chunk: Sendable {
        /// The number of the chunk's first event.
        let firstNumber: Int64
        /// The bytes that the array was reserved with.
        let capacity: Int
        var eventCount = 0
        var bytes: [UInt8] = []

        /// - Parameter bytes: An array whose memory is used again.
        init(firstNumber: Int64, capacity: Int, reusing bytes: consuming [UInt8]) {
            self.firstNumber = firstNumber
            self.capacity = capacity
            self.bytes = bytes
            self.bytes.removeAll(keepingCapacity: true)
            self.bytes.reserveCapacity(capacity)
        }
    }

    /// The bytes that a server keeps: 8 MiB.
    package static let servedByteCountMax = 8 << 20

    /// The least bound that is allowed: 64 KiB.
    private static let byteCountMin = 64 << 10

    package let byteCountMax: Int
    /// The oldest first.
    private(set) var chunks: [Chunk] = []
    /// The bytes that the chunks were reserved with.
    private(set) var chunkByteCount = 0
    /// The number of the last event, from 1; 0 before the first.
    package private(set) var lastNumber: Int64 = 0

    // The event that is being applied.

    private var isOpen = false
    /// The address and size of the open event's line. Only compared: what lies inside the line is not copied twice.
    private var line = (start: UInt(0), count: 0)
    /// The records of the entities that the open event wrote so far, bounded by `eventByteCountMax`.
    private var written: [UInt8] = []
    private var writtenCount: UInt32 = 0
    /// Whether entities of the open event were left out.
    private var isCut = false
    /// The ids of the event's members; its memory is used again.
    private var ids: [UInt8] = []

    /// - Parameter byteCountMax: 0: nothing is kept. Else at least `byteCountMin` are allowed, so that one event fits.
    package init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax > 0 ? max(KeptEvents.byteCountMin, byteCountMax) : 0
    }

    /// Whether events are kept.
    @inline(__always)
    package var isOn: Bool { byteCountMax > 0 }

    /// The events that are kept now.
    package var eventCount: Int { chunks.reduce(0) { $0 + $1.eventCount } }

    /// The bytes of the events that are kept now.
    package var byteCount: Int { chunks.reduce(0) { $0 + $1.bytes.count } }

    /// The bytes of one event at most. What is longer is left out, so that one event does not drop all others.
    private var eventByteCountMax: Int { max(1, byteCountMax / 8) }

    /// A 32nd of the bound, so that little is dropped at once.
    private var chunkByteCountMin: Int { max(1, byteCountMax / 32) }

    // MARK: The open event

    /// Begins to note the writes of an event, until ``close()``.
    ///
    /// - Parameter line: The line of the event; nil when it is not there any more. It must outlive the call of
    ///   ``close()``.
    mutating func open(_ line: UnsafeRawBufferPointer?) {
        guard isOn else { return }
        isOpen = true
        self.line = (line?.baseAddress.map { UInt(bitPattern: $0) } ?? 0, line?.count ?? 0)
        written.removeAll(keepingCapacity: true)
        writtenCount = 0
        isCut = false
    }

    /// Ends the event: later writes are those of others.
    @inline(__always)
    mutating func close() { isOpen = false }

    /// Whether writes are noted now.
    @inline(__always)
    var notesWrites: Bool { isOpen }

    /// Notes a write of the open event.
    ///
    /// - Parameters:
    ///   - id: The id: the 16 bytes of a UUID, or the text.
    ///   - before: The resource that is replaced or removed; nil: there was none.
    ///   - after: The resource that is stored; nil: the entity is removed.
    mutating func note(
        type: ByteString, isUUID: Bool, id: UnsafeRawBufferPointer, before: UnsafeRawBufferPointer?,
        after: UnsafeRawBufferPointer?
    ) {
        var head = KeptWrite(
            typeCount: UInt32(type.bytes.count), idCount: UInt32(id.count), isUUID: isUUID,
            beforeCount: before.map { UInt32($0.count) }, afterCount: after.map { UInt32($0.count) })
        if let after, let start = after.baseAddress {
            let offset = Int(bitPattern: UInt(bitPattern: start)) - Int(bitPattern: line.start)
            if line.count > 0, offset >= 0, offset + after.count <= line.count { head.afterOffset = UInt32(offset) }
        }
        let own = head.afterOffset == nil ? after?.count ?? 0 : 0
        let total = MemoryLayout<KeptWrite>.size + type.bytes.count + id.count + (before?.count ?? 0) + own
        guard written.count + total <= eventByteCountMax / 2 else { return isCut = true }
        withUnsafeBytes(of: head) { written.append(contentsOf: $0) }
        written.append(contentsOf: type.bytes)
        written.append(contentsOf: id)
        if let before { written.append(contentsOf: before) }
        if let after, own > 0 { written.append(contentsOf: after) }
        writtenCount += 1
    }

    /// Drops every event; numbers go on.
    mutating func removeAll() {
        chunks = []
        chunkByteCount = 0
    }

    // MARK: Keeping

    /// Keeps an event, with the writes that were noted since ``open(_:)``.
    ///
    /// - Parameters:
    ///   - event: Its keys are not kept: ``KeptEventReader`` makes them of the ids.
    ///   - content: The line of the event; nil when it is not there any more.
    ///   - byteCount: The bytes of the line as it came.
    ///   - list: Calls its argument with the id of each usable member: whether it is a UUID, and its bytes.
    mutating func append(
        _ event: LoggedEvent, content: UnsafeRawBufferPointer?, byteCount: Int,
        ids list: (_ note: (Bool, UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        lastNumber += 1
        var idCount: UInt32 = 0
        ids.removeAll(keepingCapacity: true)
        let idByteCountMax = eventByteCountMax / 8
        list { isUUID, id in
            guard ids.count + id.count + 4 <= idByteCountMax else { return }
            withUnsafeBytes(of: UInt32(id.count) << 1 | (isUUID ? 1 : 0)) { ids.append(contentsOf: $0) }
            ids.append(contentsOf: id)
            idCount += 1
        }
        let hasContent = content.map { $0.count <= eventByteCountMax / 4 } ?? false
        // Without its line, what points into it is not there either.
        let hasWrites = isOpen && (hasContent || line.count == 0)
        var head = KeptHead(event)
        head.idCount = idCount
        head.idByteCount = UInt32(ids.count)
        head.lineByteCount = UInt32(clamping: byteCount)
        head.contentCount = hasContent ? UInt32(content?.count ?? 0) : .max
        head.writeCount = hasWrites ? writtenCount : 0
        head.writeByteCount = hasWrites ? UInt32(written.count) : 0
        head.isCut = isOpen && (isCut || !hasWrites && writtenCount > 0)
        let names = [event.library, event.type, event.mutationID]
        let total =
            MemoryLayout<KeptHead>.size + names.reduce(0) { $0 + ($1?.bytes.count ?? 0) } + ids.count
            + (hasContent ? content?.count ?? 0 : 0) + Int(head.writeByteCount)
        head.byteCount = UInt32(total)
        makeRoom(for: total)
        let last = chunks.count - 1
        chunks[last].eventCount += 1
        withUnsafeBytes(of: head) { chunks[last].bytes.append(contentsOf: $0) }
        for name in names { if let name { chunks[last].bytes.append(contentsOf: name.bytes) } }
        chunks[last].bytes.append(contentsOf: ids)
        if hasContent, let content { chunks[last].bytes.append(contentsOf: content) }
        if hasWrites { chunks[last].bytes.append(contentsOf: written) }
    }

    /// Drops the oldest chunks until there is room, and begins a new one when the last is full.
    private mutating func makeRoom(for byteCount: Int) {
        if let last = chunks.last, last.bytes.count + byteCount <= last.capacity { return }
        let capacity = max(chunkByteCountMin, byteCount)
        var spare: [UInt8] = []
        while let oldest = chunks.first, chunkByteCount + capacity > byteCountMax {
            chunkByteCount -= oldest.capacity
            // An array that grew for one large event is not worth using again.
            if oldest.capacity == capacity { spare = oldest.bytes }
            chunks.removeFirst()
        }
        chunks.append(Chunk(firstNumber: lastNumber, capacity: capacity, reusing: spare))
        chunkByteCount += capacity
    }
}
