import TidemarkModel

/// One resource to store: one event of a batch that it shares with others.
///
/// A batch for each resource would need buffers many times larger than most resources.
package struct PutResource: Sendable {
    /// The batch that contains the resource.
    package let batch: EventBatch
    /// The index among the batch's events.
    private let index: Int

    /// Creates a resource from an event of a batch.
    package init(batch: EventBatch, index: Int) {
        self.batch = batch
        self.index = index
    }

    /// Why the resource is unusable; nil if it is usable.
    package var reason: QuarantineReason? {
        guard index < batch.events.count else { return .badShape }
        let event = batch.events[index]
        guard event.kind == .changed, event.memberCount == 1 else { return event.reason ?? .badShape }
        return batch.members[Int(event.firstMember)].reason
    }

    /// Calls `body` with the resource's type as given, its id and its bytes.
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
