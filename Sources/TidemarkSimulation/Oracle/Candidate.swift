/// A possible state of an entity of the base, with the place in the log of its last write.
package struct Candidate: Hashable, Sendable {
    /// The fields; nil when the entity does not exist.
    package var fields: ItemFields?
    /// The sequence of the entity's last event or answer in the current log; -1 for none.
    package var written: Int64 = -1
    /// Whether an answer wrote the entity, so that it contains the event at ``written``.
    package var isAnswer = false
    /// The places of fields that answers and confirmations wrote: the others may be older than ``written``.
    package var named: [String: Int64] = [:]
    /// The numbers of the questions that wrote fields with ``named``; 0 where that is unknown.
    package var questions: [String: Int] = [:]
    /// The fields that the answer to a mutation wrote last: answers to questions from before it leave them.
    package var mutated: Set<String> = []

    package init(fields: ItemFields?) {
        self.fields = fields
    }

    /// Returns the states after an event of the current log, which may be one that an answer contains.
    ///
    /// The event may still bring the fields that the answer does not have; nobody here knows whether the cache had the
    /// event before.
    package func all(after change: ServerChange, sequence: Int64) -> Set<Candidate> {
        if isAnswer ? sequence <= written : sequence < written {
            return [self, around(change, sequence: sequence)]
        }
        let kept = named.filter { $0.value >= sequence }
        var next = Candidate(fields: change.applied(to: fields))
        next.written = sequence
        guard !kept.isEmpty, let fields else { return [next] }
        // A delete takes away what the answer did not bring.
        var left = next.fields ?? ItemFields()
        for name in kept.keys { left.values[name] = fields.values[name] }
        var around = next
        around.named = kept
        around.questions = questions.filter { kept[$0.key] != nil }
        around.mutated = mutated.filter { kept[$0] != nil }
        around.fields = left
        return next.fields == nil ? [self, next, around] : [self, around]
    }

    /// Returns the state after an event up to the place of an answer: it brings the fields for which nothing later is
    /// known.
    private func around(_ change: ServerChange, sequence: Int64) -> Candidate {
        guard isAnswer, let fields else { return self }
        var next = self
        next.named = named.filter { $0.value >= sequence }
        next.mutated = mutated.filter { next.named[$0] != nil }
        var left = change.applied(to: fields) ?? ItemFields()
        for name in next.named.keys { left.values[name] = fields.values[name] }
        next.fields = left
        return next
    }

    /// Returns the states after an answer, or a confirmation, with a place in the current log.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the answer has every field of the entity; one of GraphQL has those of its selection.
    ///   - hasPlace: Whether the answer names its place. One that does not is as old as its question: it is newer than
    ///     answers that came before, whatever place these have. Nobody here knows which of them did.
    ///   - keepsPlace: Whether it confirms an edit and names no place.
    ///   - isMutation: Whether it answers a mutation: nobody here knows which of its fields others wrote since.
    ///   - question: The number of its question. It may leave fields that a later one wrote.
    package func all(
        after answer: ItemFields, sequence: Int64, isWhole: Bool = true, hasPlace: Bool = true,
        keepsPlace: Bool = false, isMutation: Bool = false, question: Int = 0
    ) -> Set<Candidate> {
        if keepsPlace {
            var next = self
            next.fields = fields?.merged(answer) ?? answer
            for name in answer.values.keys { next.questions[name] = question }
            return [next]
        }
        let newest = max(written, named.values.max() ?? -1)
        var all: Set<Candidate> = []
        if newest > sequence {
            all.insert(self)
            guard !hasPlace && (isAnswer || newest > written) else { return all }
        }
        let place = max(newest, sequence)
        all.insert(merged(answer, place, isWhole, question, isMutation))
        // A mutation that was answered while the answer was on its way wins, whatever their places.
        for kept in keptMutations {
            var next = merged(answer, place, isWhole, question)
            for name in kept {
                next.fields?.values[name] = fields?.values[name]
                (next.named[name], next.questions[name]) = (named[name], questions[name])
            }
            next.mutated = kept
            all.insert(next)
        }
        guard !hasPlace else { return all }
        if isMutation {
            // Over the answer to a later question, its fields have its own place.
            all.insert(merged(answer, sequence, false, question, true))
            for (name, value) in answer.values {
                all.insert(merged(ItemFields([name: value]), place, false, question, true))
                all.insert(merged(ItemFields([name: value]), sequence, false, question, true))
            }
        }
        let left = answer.values.filter { question >= questions[$0.key] ?? 0 }
        if left.count < answer.values.count { all.insert(merged(ItemFields(left), place, false, question)) }
        return all
    }

    /// The fields of mutations that may all have been answered after some question was asked, for each such question.
    private var keptMutations: [Set<String>] {
        Set(mutated.map { questions[$0] ?? 0 }).map { first in mutated.filter { questions[$0] ?? 0 >= first } }
    }

    private func merged(
        _ answer: ItemFields, _ sequence: Int64, _ isWhole: Bool, _ question: Int, _ isMutation: Bool = false
    ) -> Candidate {
        var next = self
        next.fields = fields?.merged(answer) ?? answer
        if fields == nil { next = Candidate(fields: answer) }
        if isMutation { next.mutated.formUnion(answer.values.keys) } else { next.mutated.subtract(answer.values.keys) }
        // The key was answered, too: no older delete takes the entity away for certain.
        for name in answer.values.keys + ["id"] {
            next.named[name] = sequence
            if question > 0 { next.questions[name] = question }
        }
        guard isWhole else { return next }
        next.written = max(written, sequence)
        next.isAnswer = true
        return next
    }

    /// The candidate without its place, because a place in this log means nothing in another one.
    package var forgettingPlaces: Candidate { Candidate(fields: fields) }
}
