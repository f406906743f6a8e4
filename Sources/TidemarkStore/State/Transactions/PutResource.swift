import TidemarkModel

/// One resource of a put: one event of a batch, which it shares with other puts.
///
/// A batch for each put would cost buffers many times larger than most resources.
package struct PutResource: Sendable {
    package let batch: EventBatch
    /// The index among the batch's events.
    private let index: Int

    package init(batch: EventBatch, index: Int) {
        self.batch = batch
        self.index = index
    }

    /// The reason why the resource cannot be used; nil when it can.
    package var reason: QuarantineReason? {
        guard index < batch.events.count else { return .badShape }
        let event = batch.events[index]
        guard event.kind == .changed, event.memberCount == 1 else { return event.reason ?? .badShape }
        return batch.members[Int(event.firstMember)].reason
    }

    /// Calls `body` with the resource's type, as it was given, its id and its bytes.
    ///
    /// - Precondition: ``reason`` is nil.
    func withResource<Result>(
        _ body: (_ type: UnsafeRawBufferPointer, _ id: StoredID, _ resource: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let event = batch.events[index]
        let member = batch.members[Int(event.firstMember)]
        return batch.withBytes { bytes in
            body(
                bytes[event.type], member.isUUID ? .uuid(member.uuid) : .text(ByteString(bytes[member.id])),
                bytes[member.resource])
        }
    }
}
