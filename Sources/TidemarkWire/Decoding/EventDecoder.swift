// Stage 2 of 7: lines → events. Before: LineFramer. After: SequenceGate. Laws: L7.

import CLineParser
import TidemarkModel

/// Decodes blocks of lines into batches of plain events, and validates every line completely.
///
/// A line that cannot be used becomes an event of kind `.unusable` with its reason: a value for the quarantine, never
/// an error. One decoder serves one reader, because it reuses its buffers from block to block.
///
/// - Source: Protocol/events.md.
package final class EventDecoder {
    private let decoder: OpaquePointer
    let pool: BatchPool
    let limits: Limits

    /// Creates a decoder with empty buffers.
    ///
    /// - Parameters:
    ///   - limits: The limits of accepted input. Nesting is bounded by `Limits.nestingDepthCeiling` too.
    ///   - pool: The pool that gets a batch's buffers back when the batch is released.
    ///   - usesLibrary: False to find the tokens without simdjson, as every build does that is made without it. The
    ///     events are the same; for comparisons.
    /// - Throws: ``WireError/outOfMemory``.
    package init(
        limits: Limits = Limits(), pool: BatchPool = BatchPool(), usesLibrary: Bool = true
    ) throws(WireError) {
        self.pool = pool
        self.limits = limits
        let bounds = tm_limits(
            nesting_depth_max: UInt32(clamping: min(limits.nestingDepthMax, Limits.nestingDepthCeiling)),
            batch_member_count_max: UInt32(clamping: limits.batchMemberCountMax),
            id_byte_count_max: UInt32(clamping: limits.idByteCountMax),
            type_byte_count_max: UInt32(clamping: limits.typeByteCountMax),
            salvage_byte_count_max: UInt32(clamping: limits.quarantineByteCountMax))
        let created = usesLibrary ? tm_decoder_create(bounds) : tm_decoder_create_portable(bounds)
        guard let created else { throw WireError.outOfMemory }
        decoder = created
    }

    deinit {
        tm_decoder_destroy(decoder)
    }

    /// Decodes one block.
    ///
    /// - Parameters:
    ///   - block: The lines; the batch keeps them, and its events point into them.
    ///   - origin: Who wrote the lines' envelopes.
    /// - Returns: The events in the order of the lines. The beginning of a line that was too long gives one `.unusable`
    ///   event.
    /// - Throws: ``WireError/outOfMemory``; then nothing was decoded.
    /// - Complexity: O(bytes).
    package func decode(
        _ block: consuming LineBlock, origin: LineOrigin = .producer
    ) throws(WireError) -> EventBatch {
        var result = tm_batch()
        let status = block.bytes.withUnsafeBufferPointer { bytes in
            if block.tooLongByteCount != nil {
                return tm_decoder_salvage(
                    decoder, bytes.baseAddress, block.byteCount, &result)
            }
            return block.lines.withUnsafeBufferPointer { lines in
                lines.withMemoryRebound(to: tm_line.self) { lines in
                    tm_decoder_decode(
                        decoder, bytes.baseAddress, block.byteCount, lines.baseAddress, lines.count, &result)
                }
            }
        }
        guard status == 0 else { throw WireError.outOfMemory }
        let wholeByteCounts: [UInt32: Int] = block.tooLongByteCount.map { [0: $0] } ?? [:]
        // Written in place: when appended one by one, events were built on the stack and copied, which cost 15 ns an
        // event.
        let events = [ChangeEvent](unsafeUninitializedCapacity: result.event_count) { buffer, count in
            guard let target = buffer.baseAddress, let source = result.events else { return }
            for index in 0..<result.event_count { (target + index).initialize(to: ChangeEvent(source + index)) }
            count = result.event_count
        }
        let members = [ChangeMember](unsafeUninitializedCapacity: result.member_count) { buffer, count in
            guard let target = buffer.baseAddress, let source = result.members else { return }
            for index in 0..<result.member_count { (target + index).initialize(to: ChangeMember(source + index)) }
            count = result.member_count
        }
        return EventBatch(
            block: block.bytes,
            rewritten: Array(UnsafeBufferPointer(start: result.rewritten, count: result.rewritten_count)),
            lines: block.lines,
            events: events, members: members,
            input: block.input, firstLine: block.firstLine, firstOffset: block.firstOffset,
            wholeByteCounts: wholeByteCounts,
            blankCount: result.blank_count, controlCount: result.control_count, origin: origin, pool: pool)
    }
}

/// The error of a decoder that cannot continue. Bad input never causes one.
package enum WireError: Error {
    /// The decoder's buffers could not grow.
    case outOfMemory
}

extension ByteRange {
    fileprivate init(_ range: tm_range) {
        self.init(offset: range.offset, count: range.count)
    }
}

extension ChangeEvent {
    fileprivate init(_ source: UnsafePointer<tm_event>) {
        let event = source.pointee
        guard let kind = Kind(rawValue: event.kind) else {
            // No input reaches it: the C decoder returns kinds from its own list, never a byte of a line.
            preconditionFailure("the decoder gave a kind \(event.kind)")
        }
        self.init(kind: kind, line: event.line)
        reason = QuarantineReason(rawValue: event.reason)
        let flags = UInt32(event.flags)
        isIndexOperation = flags & UInt32(TM_INDEX_OPERATION) != 0
        hasMore = flags & UInt32(TM_HAS_MORE) != 0
        isMarked = flags & UInt32(TM_MARKED) != 0
        isLibraryKnown = flags & UInt32(TM_LIBRARY_UNREADABLE) == 0
        if flags & UInt32(TM_HAS_SEQUENCE) != 0 { sequence = EventSequence(event.sequence) }
        if flags & UInt32(TM_HAS_PREVIOUS) != 0 { previous = EventSequence(event.previous) }
        if flags & UInt32(TM_HAS_LAST_SEQUENCE) != 0 { lastSequence = EventSequence(event.last_sequence) }
        library = ByteRange(event.library)
        epoch = ByteRange(event.epoch)
        mutationID = ByteRange(event.mutation_id)
        type = ByteRange(event.type)
        detail = ByteRange(event.detail)
        firstMember = event.first_member
        memberCount = event.member_count
    }
}

extension ChangeMember {
    fileprivate init(_ source: UnsafePointer<tm_member>) {
        let member = source.pointee
        self.init(
            uuid: UUIDValue(high: member.uuid_high, low: member.uuid_low), isUUID: member.is_uuid != 0,
            reason: QuarantineReason(rawValue: member.reason), id: ByteRange(member.id),
            resource: ByteRange(member.resource))
    }
}
