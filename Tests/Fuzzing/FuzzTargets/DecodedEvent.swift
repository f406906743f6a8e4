import TidemarkModel

/// An event with all its values as text, so that events of different blocks can be compared.
struct DecodedEvent: Equatable, CustomStringConvertible {
    let description: String

    /// Returns the events of a batch, with the numbers of their lines.
    ///
    /// - Precondition: Every range is in the batch's bytes; otherwise the process ends.
    static func all(of batch: EventBatch) -> [DecodedEvent] {
        batch.withBytes { bytes in
            batch.events.map { event in
                func text(_ range: ByteRange) -> String {
                    range.isAbsent ? "-" : String(decoding: bytes[range], as: UTF8.self)
                }
                let members = batch.members[Int(event.firstMember)..<Int(event.firstMember + event.memberCount)]
                let names = members.map { member in
                    let id = member.isUUID ? "\(member.uuid)" : text(member.id)
                    return member.reason.map { "\($0) \(text(member.resource))" } ?? "\(id) \(text(member.resource))"
                }
                return DecodedEvent(
                    description: """
                        \(batch.firstLine + Int64(event.line)): \(event.kind) \(event.reason.map { "\($0)" } ?? "") \
                        \(event.isIndexOperation) \(event.isLibraryKnown) \(String(describing: event.sequence)) \
                        \(String(describing: event.previous)) \(String(describing: event.lastSequence)) \
                        \(text(event.library)) \(text(event.epoch)) \(text(event.mutationID)) \(text(event.type)) \
                        \(text(event.detail)) \(names)
                        """)
            }
        }
    }
}
