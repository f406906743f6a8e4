/// What an entity of the base may be, and what that stands for.
package struct Candidate: Hashable, Sendable {
    /// nil: it is not there.
    package var fields: ItemFields?
    /// The sequence of the event, or answer, that it has of the current log; -1: none.
    package var written: Int64 = -1
    /// An answer gave it: the event at ``written`` is in it already.
    package var isAnswer = false

    package init(fields: ItemFields?) {
        self.fields = fields
    }

    /// After an event of the current log.
    package func after(_ change: ServerChange, sequence: Int64) -> Candidate {
        if isAnswer ? sequence <= written : sequence < written { return self }
        var next = Candidate(fields: change.applied(to: fields))
        next.written = sequence
        return next
    }

    /// After an answer, or a confirmation, that stands for a place in the current log.
    package func after(answer: ItemFields, sequence: Int64) -> Candidate {
        if written > sequence { return self }
        var next = Candidate(fields: fields?.merged(answer) ?? answer)
        next.written = max(written, sequence)
        next.isAnswer = true
        return next
    }

    /// In another log, places of this one mean nothing.
    package var forgettingPlaces: Candidate { Candidate(fields: fields) }
}
