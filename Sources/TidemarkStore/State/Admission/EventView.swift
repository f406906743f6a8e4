import TidemarkModel

/// One event with the bytes that its ranges point into: those of a batch, or a held event's own.
struct EventView {
    let event: ChangeEvent
    let members: UnsafeBufferPointer<ChangeMember>
    let bytes: EventBytes
    let source: EventSource
    /// The offset of the event's line in its input.
    let offset: Int64
    /// The size of the line in bytes.
    let byteCount: Int
    /// The offset of the line in the block; nil if only parts of the line are available.
    var lineOffset: Int?
    /// The offset in the block of an event from an upstream; nil for other events.
    var answerOffset: Int?

    /// The bytes of the line as received; nil if only parts of it are available.
    var line: UnsafeRawBufferPointer? {
        lineOffset.map { UnsafeRawBufferPointer(rebasing: bytes.block[$0..<$0 + byteCount]) }
    }

    /// The bytes of the event as received, from an input or an upstream; nil if only parts of it are available.
    var content: UnsafeRawBufferPointer? {
        (lineOffset ?? answerOffset).map { UnsafeRawBufferPointer(rebasing: bytes.block[$0..<$0 + byteCount]) }
    }

    /// Returns the bytes of a range; nil if it is absent.
    func text(_ range: ByteRange) -> UnsafeRawBufferPointer? {
        range.isAbsent ? nil : bytes[range]
    }

    /// Returns a copy of the bytes of a range; nil if it is absent.
    func string(_ range: ByteRange) -> ByteString? {
        range.isAbsent ? nil : ByteString(bytes[range])
    }

    /// The event's members.
    var ownMembers: UnsafeBufferPointer<ChangeMember> {
        UnsafeBufferPointer(
            rebasing: members[Int(event.firstMember)..<Int(event.firstMember + event.memberCount)])
    }

    /// Returns an independent copy for the reorder buffer.
    func held(sequence: EventSequence, at now: Int64) -> HeldEvent {
        var packed: [UInt8] = []
        func pack(_ range: ByteRange) -> ByteRange {
            guard !range.isAbsent else { return range }
            let offset = UInt32(packed.count)
            packed.append(contentsOf: bytes[range])
            return ByteRange(offset: offset, count: range.count)
        }
        var event = event
        event.library = pack(event.library)
        event.epoch = pack(event.epoch)
        event.mutationID = pack(event.mutationID)
        event.type = pack(event.type)
        event.detail = pack(event.detail)
        let members = ownMembers.map { member in
            var member = member
            member.id = pack(member.id)
            member.resource = pack(member.resource)
            return member
        }
        event.firstMember = 0
        return HeldEvent(
            event: event, members: members, bytes: packed, sequence: sequence,
            previous: event.previous ?? sequence.predecessor, source: source, offset: offset,
            byteCount: byteCount, heldAt: now)
    }
}

extension HeldEvent {
    /// Calls `body` with the event as if it were in a batch.
    func withView<Result>(_ body: (EventView) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            members.withUnsafeBufferPointer { members in
                body(
                    EventView(
                        event: event, members: members,
                        bytes: EventBytes(block: bytes, rewritten: UnsafeRawBufferPointer(start: nil, count: 0)),
                        source: source, offset: offset, byteCount: byteCount))
            }
        }
    }
}
