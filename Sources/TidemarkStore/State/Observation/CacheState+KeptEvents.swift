import TidemarkModel

/// Which parts of an event ``KeptEvents`` keeps.
extension CacheState {
    /// Keeps an event that was counted.
    mutating func keep(_ view: EventView, _ bin: LoggedEvent.Bin, reason: QuarantineReason?, at now: Int64) {
        let event = view.event
        var line: Int64?
        if case .line(_, let number) = view.source { line = number }
        let logged = LoggedEvent(
            bin: bin, kind: event.kind, library: loggedLibrary(of: view), sequence: event.sequence,
            type: loggedType(of: view), keys: [], resourceCount: Int(event.memberCount), line: line,
            mutationID: view.string(event.mutationID), reason: reason,
            isLate: queries.recorder.lateSequence != nil, at: now)
        keptEvents.append(logged, content: view.content, byteCount: view.byteCount) { note in
            for member in view.ownMembers where member.reason == nil {
                if member.isUUID {
                    member.uuid.withBytes { note(true, $0) }
                } else {
                    note(false, view.bytes[member.id])
                }
            }
        }
    }

    /// Records a write of the event that is being applied.
    ///
    /// - Parameter before: The resource that is stored now; nil if the entity is new.
    mutating func keepWrite(
        of index: SlotIndex, before: UnsafeRawBufferPointer?, after: UnsafeRawBufferPointer?
    ) {
        let type = types.name(of: entities.type(of: index))
        let id = entities.id(of: index)
        if let uuid = id.uuid {
            uuid.withBytes { keptEvents.note(type: type, isUUID: true, id: $0, before: before, after: after) }
        } else {
            keptEvents.note(type: type, isUUID: false, id: id.text, before: before, after: after)
        }
    }
}
