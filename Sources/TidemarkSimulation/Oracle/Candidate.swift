/// A possible state of an entity of the base, with the place in the log of its last write.
package struct Candidate: Hashable, Sendable {
    /// The fields; nil when the entity does not exist.
    package var fields: ItemFields?
    /// The sequence of the entity's last event or answer in the current log; -1 for none.
    package var written: Int64 = -1
    /// Whether an answer wrote the entity, so that it contains the event at ``written``.
    package var isAnswer = false

    package init(fields: ItemFields?) {
        self.fields = fields
    }

    /// Returns the candidate after an event of the current log.
    package func after(_ change: ServerChange, sequence: Int64) -> Candidate {
        if isAnswer ? sequence <= written : sequence < written { return self }
        var next = Candidate(fields: change.applied(to: fields))
        next.written = sequence
        return next
    }

    /// Returns the candidate after an answer, or a confirmation, with a place in the current log.
    package func after(answer: ItemFields, sequence: Int64) -> Candidate {
        if written > sequence { return self }
        var next = Candidate(fields: fields?.merged(answer) ?? answer)
        next.written = max(written, sequence)
        next.isAnswer = true
        return next
    }

    /// The candidate without its place, because a place in this log means nothing in another one.
    package var forgettingPlaces: Candidate { Candidate(fields: fields) }
}
