import TidemarkModel

/// Reads the record of one event in a chunk of ``KeptEvents``.
struct KeptEventReader {
    private let head: KeptHead
    private let bytes: UnsafeRawBufferPointer
    private let number: Int64

    /// Creates a reader of one record.
    ///
    /// - Parameters:
    ///   - chunk: The bytes of the chunk. They must outlive the reader.
    ///   - offset: The record's first byte.
    ///   - number: The event's number.
    init(_ chunk: UnsafeRawBufferPointer, at offset: Int, number: Int64) {
        head = chunk.loadUnaligned(fromByteOffset: offset, as: KeptHead.self)
        bytes = UnsafeRawBufferPointer(rebasing: chunk[offset..<offset + Int(head.byteCount)])
        self.number = number
    }

    var byteCount: Int { bytes.count }

    // MARK: The parts, in their order

    private var libraryStart: Int { MemoryLayout<KeptHead>.size }
    private var typeStart: Int { libraryStart + size(head.libraryCount) }
    private var mutationStart: Int { typeStart + size(head.typeCount) }
    private var idStart: Int { mutationStart + size(head.mutationCount) }
    private var contentStart: Int { idStart + Int(head.idByteCount) }
    private var writeStart: Int { contentStart + size(head.contentCount) }

    private func size(_ count: UInt32) -> Int { count == KeptHead.absent ? 0 : Int(count) }

    private func name(at start: Int, _ count: UInt32) -> ByteString? {
        count == KeptHead.absent ? nil : ByteString(bytes[start..<start + Int(count)])
    }

    private var library: ByteString? { name(at: libraryStart, head.libraryCount) }
    private var type: ByteString? { name(at: typeStart, head.typeCount) }

    private func text(of id: Slice<UnsafeRawBufferPointer>, isUUID: Bool) -> [UInt8] {
        guard isUUID, let value = UUIDValue(bytes: UnsafeRawBufferPointer(rebasing: id)) else { return Array(id) }
        return value.text
    }

    private func key(_ type: ByteString, _ id: [UInt8]) -> ByteString {
        EntityKey(type: type, id: ByteString(id)).text
    }

    /// The keys that the event names, as far as they were kept.
    private var keys: [ByteString] {
        guard let type else { return [] }
        var keys: [ByteString] = []
        var offset = idStart
        for _ in 0..<head.idCount {
            let mark = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let count = Int(mark >> 1)
            keys.append(key(type, text(of: bytes[offset + 4..<offset + 4 + count], isUUID: mark & 1 == 1)))
            offset += 4 + count
        }
        return keys
    }

    private var content: [UInt8]? {
        head.contentCount == KeptHead.absent ? nil : Array(bytes[contentStart..<writeStart])
    }

    private var writes: [KeptEvent.Write] {
        var writes: [KeptEvent.Write] = []
        var offset = writeStart
        func take(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
            defer { offset += count }
            return bytes[offset..<offset + count]
        }
        for _ in 0..<head.writeCount {
            let write = bytes.loadUnaligned(fromByteOffset: offset, as: KeptWrite.self)
            offset += MemoryLayout<KeptWrite>.size
            let type = ByteString(take(Int(write.typeCount)))
            let id = text(of: take(Int(write.idCount)), isUUID: write.isUUID)
            let before = write.beforeCount.map { Array(take($0)) }
            let after = write.afterCount.map { count in
                guard let place = write.afterOffset else { return Array(take(count)) }
                let start = contentStart + Int(place)
                return Array(bytes[start..<start + count])
            }
            writes.append(KeptEvent.Write(key: key(type, id), before: before, after: after))
        }
        return writes
    }

    // MARK: The event

    /// Returns true if a selection matches the event.
    ///
    /// - Parameter pattern: The fragment made from the selection's `part`; nil if it has none.
    func isWanted(by selection: KeptEvents.Selection, _ pattern: KeyFragment?) -> Bool {
        if let sequence = selection.sequence, head.sequence != sequence.rawValue { return false }
        if !selection.bins.isEmpty {
            guard let bin = LoggedEvent.Bin(number: head.bin), selection.bins.contains(bin) else { return false }
        }
        if let wanted = selection.library, library != wanted { return false }
        if !selection.types.isEmpty {
            guard let type, selection.types.contains(type) else { return false }
        }
        guard pattern != nil || selection.key != nil else { return true }
        let named = keys + writes.map(\.key)
        if let key = selection.key, !named.contains(key) { return false }
        guard let pattern else { return true }
        return named.contains { pattern.isFound(in: $0) }
    }

    /// Makes the event from the record.
    func event() -> KeptEvent {
        let sequence = EventSequence(head.sequence)
        guard let bin = LoggedEvent.Bin(number: head.bin), let kind = ChangeEvent.Kind(rawValue: head.kind) else {
            // No input reaches it: a record is written and read by this process, from values of these types.
            preconditionFailure("a kept event has bin \(head.bin) and kind \(head.kind)")
        }
        let logged = LoggedEvent(
            bin: bin, kind: kind, library: library, sequence: sequence == .beforeFirst ? nil : sequence, type: type,
            keys: Array(keys.prefix(LoggedEvent.keyCountMax)), resourceCount: Int(head.resourceCount),
            line: head.line == 0 ? nil : head.line, mutationID: name(at: mutationStart, head.mutationCount),
            reason: QuarantineReason(rawValue: head.reason), isLate: head.isLate, at: head.at, number: number)
        return KeptEvent(
            event: logged, content: content, byteCount: Int(head.lineByteCount), writes: writes,
            isComplete: !head.isCut && head.contentCount != KeptHead.absent)
    }
}
