import TidemarkModel

/// The last events with their content, and each entity that they wrote, before and after. With them a person finds the
/// event that made an entity wrong.
///
/// An event costs one copy of its bytes and of the bytes that it replaced, into chunks that never move. Nobody reads
/// them on the cache's executor: a reader gets the chunks, which costs one reference count each, and parses them
/// elsewhere (``select(_:)``).
///
/// Bound: ``byteCountMax`` bytes of chunks. Past it the oldest chunk is dropped. With 0, nothing is kept and an event
/// costs one test.
///
/// - Source: Protocol/sessions.md, log.list.
package struct KeptEvents: Sendable {
    /// Consecutive events in one array, whose memory was reserved for them.
    struct Chunk: Sendable {
        /// The number of the chunk's first event.
        let firstNumber: Int64
        /// How many bytes the array was reserved with.
        let capacity: Int
        var eventCount = 0
        var bytes: [UInt8] = []

        /// Creates an empty chunk.
        ///
        /// - Parameter bytes: An array whose memory is reused.
        init(firstNumber: Int64, capacity: Int, reusing bytes: consuming [UInt8]) {
            self.firstNumber = firstNumber
            self.capacity = capacity
            self.bytes = bytes
            self.bytes.removeAll(keepingCapacity: true)
            self.bytes.reserveCapacity(capacity)
        }
    }

    /// How many bytes a server keeps: 8 MiB.
    package static let servedByteCountMax = 8 << 20

    /// The smallest bound: 64 KiB.
    private static let byteCountMin = 64 << 10

    /// The most bytes of chunks; 0 if nothing is kept.
    package let byteCountMax: Int
    /// The chunks, oldest first.
    private(set) var chunks: [Chunk] = []
    /// How many bytes the chunks were reserved with.
    private(set) var chunkByteCount = 0
    /// The number of the last event, from 1; 0 before the first.
    package private(set) var lastNumber: Int64 = 0

    // The event that is being applied.

    private var isOpen = false
    /// Address and size of the open event's line. They are only compared: what is inside the line is not copied twice.
    private var line = (start: UInt(0), count: 0)
    /// The records of the entities that the open event wrote so far; `eventByteCountMax` bounds them.
    private var written: [UInt8] = []
    private var writtenCount: UInt32 = 0
    /// True if entities of the open event were left out.
    private var isCut = false
    /// The ids of the event's members. The array's memory is reused.
    private var ids: [UInt8] = []

    /// Creates an empty store.
    ///
    /// - Parameter byteCountMax: The most bytes to keep; 0 keeps nothing. Any other value below `byteCountMin` counts
    ///   as that, so that one event fits.
    package init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax > 0 ? max(KeptEvents.byteCountMin, byteCountMax) : 0
    }

    /// True if events are kept.
    @inline(__always)
    package var isOn: Bool { byteCountMax > 0 }

    /// How many events are kept now.
    package var eventCount: Int { chunks.reduce(0) { $0 + $1.eventCount } }

    /// How many bytes the kept events have now.
    package var byteCount: Int { chunks.reduce(0) { $0 + $1.bytes.count } }

    /// The most bytes of one event. Longer parts are left out, so that one event does not displace all others.
    private var eventByteCountMax: Int { max(1, byteCountMax / 8) }

    /// The smallest chunk: a 32nd of the bound, so that little is dropped at once.
    private var chunkByteCountMin: Int { max(1, byteCountMax / 32) }

    // MARK: The open event

    /// Begins to record the writes of an event, until ``close()``.
    ///
    /// - Parameter line: The line of the event; nil if it is no longer available. It must outlive the call of
    ///   ``close()``.
    mutating func open(_ line: UnsafeRawBufferPointer?) {
        guard isOn else { return }
        isOpen = true
        self.line = (line?.baseAddress.map { UInt(bitPattern: $0) } ?? 0, line?.count ?? 0)
        written.removeAll(keepingCapacity: true)
        writtenCount = 0
        isCut = false
    }

    /// Ends the event. Later writes do not belong to it.
    @inline(__always)
    mutating func close() { isOpen = false }

    /// True while writes are recorded.
    @inline(__always)
    var notesWrites: Bool { isOpen }

    /// Records a write of the open event.
    ///
    /// - Parameters:
    ///   - id: The 16 bytes of a UUID, or the id's text.
    ///   - before: The resource that is replaced or removed; nil if there was none.
    ///   - after: The resource that is stored; nil if the entity is removed.
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

    /// Drops all events. Numbers continue.
    mutating func removeAll() {
        chunks = []
        chunkByteCount = 0
    }

    // MARK: Keeping

    /// Keeps an event, with the writes recorded since ``open(_:)``.
    ///
    /// - Parameters:
    ///   - event: The event. Its keys are not kept: ``KeptEventReader`` makes them from the ids.
    ///   - content: The line of the event; nil if it is no longer available.
    ///   - byteCount: The size of the line as received.
    ///   - list: Calls its argument for each usable member, with whether the id is a UUID and its bytes.
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
        // Without its line, writes that point into it are lost too.
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

    /// Drops the oldest chunks until there is room, and begins a new chunk if the last one is full.
    private mutating func makeRoom(for byteCount: Int) {
        if let last = chunks.last, last.bytes.count + byteCount <= last.capacity { return }
        let capacity = max(chunkByteCountMin, byteCount)
        var spare: [UInt8] = []
        while let oldest = chunks.first, chunkByteCount + capacity > byteCountMax {
            chunkByteCount -= oldest.capacity
            // An array that grew for one large event is not reused.
            if oldest.capacity == capacity { spare = oldest.bytes }
            chunks.removeFirst()
        }
        chunks.append(Chunk(firstNumber: lastNumber, capacity: capacity, reusing: spare))
        chunkByteCount += capacity
    }
}
