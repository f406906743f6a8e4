/// One possible base state of an entity, with the log positions of its last writes.
package struct Candidate: Hashable, Sendable {
    /// The fields; nil if the entity does not exist.
    package var fields: ItemFields?
    /// The sequence of the entity's last event or whole answer in the current log; -1 for none.
    package var written: Int64 = -1
    /// True if an answer wrote the whole entity, so that it includes the event at ``written``.
    package var isAnswer = false
    /// The sequences of fields that answers and confirmations wrote. Other fields may be older than ``written``.
    package var named: [String: Int64] = [:]
    /// The numbers of the questions that wrote fields with ``named``; 0 if unknown.
    package var questions: [String: Int] = [:]
    /// The fields last written by the answer to a mutation. Answers to earlier questions leave them unchanged.
    package var mutated: Set<String> = []

    /// Creates a candidate that no log position is known for.
    ///
    /// - Parameter fields: The fields; nil if the entity does not exist.
    package init(fields: ItemFields?) {
        self.fields = fields
    }

    /// Returns the possible states after an event of the current log, which an earlier answer may already include.
    ///
    /// The event may still set fields that the answer lacks. Whether the cache had the event before is unknown here, so
    /// both states are returned.
    package func all(after change: ServerChange, sequence: Int64) -> Set<Candidate> {
        if isAnswer ? sequence <= written : sequence < written {
            return [self, around(change, sequence: sequence)]
        }
        let kept = named.filter { $0.value >= sequence }
        var next = Candidate(fields: change.applied(to: fields))
        next.written = sequence
        guard !kept.isEmpty, let fields else { return [next] }
        // A delete removes everything except the fields that a later answer wrote.
        var left = next.fields ?? ItemFields()
        for name in kept.keys { left.values[name] = fields.values[name] }
        var around = next
        around.named = kept
        around.questions = questions.filter { kept[$0.key] != nil }
        around.mutated = mutated.filter { kept[$0] != nil }
        around.fields = left
        return next.fields == nil ? [self, next, around] : [self, around]
    }

    /// Returns the state after an event that is not newer than a whole answer: it sets the fields for which nothing
    /// newer is known.
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

    /// Returns the possible states after an answer or a confirmation with a position in the current log.
    ///
    /// - Parameters:
    ///   - sequence: The position of the answer.
    ///   - isWhole: True if the answer has every field of the entity; a GraphQL answer has only the selected ones.
    ///   - hasPlace: True if the answer names its position. Otherwise it is as old as its question, and newer than
    ///     answers that arrived before it, whatever their positions. Which did is unknown here.
    ///   - keepsPlace: True for the confirmation of an edit that names no position.
    ///   - isMutation: True for the answer to a mutation. Which of its fields others wrote since is unknown here.
    ///   - question: The number of its question. It may leave fields that a later question wrote.
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
        // A mutation that was answered after this answer's question wins, whatever their positions.
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
            // Over the answer to a later question, the mutation's fields have their own position.
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

    /// The sets of mutated fields that another answer can leave in place: for each question of a mutation, the fields
    /// that were mutated by it or by a later one.
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
        // The answer included the key too, so an older delete no longer removes the entity for certain.
        for name in answer.values.keys + ["id"] {
            next.named[name] = sequence
            if question > 0 { next.questions[name] = question }
        }
        guard isWhole else { return next }
        next.written = max(written, sequence)
        next.isAnswer = true
        return next
    }

    /// The candidate without positions, because positions of different logs cannot be compared.
    package var forgettingPlaces: Candidate { Candidate(fields: fields) }
}
