import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// The consent against a naive model: a list of all that happened, read anew for each question.
@Suite(.pooled, .tags(.model)) struct EvictionConsentModelTests {
    private enum Happening: CaseIterable {
        case requested, allowed, refused, taken, completed, committed
    }

    /// All that happened, and the meaning of the last answer and of the events after it.
    private struct History {
        private var all: [Happening] = []

        mutating func add(_ happening: Happening) { all.append(happening) }

        private func after(_ index: Int) -> ArraySlice<Happening> { all[(index + 1)...] }

        private var lastAnswer: Int? { all.lastIndex { $0 == .allowed || $0 == .refused } }

        /// Whether a question is open: one was asked after all that ends a consent.
        private(set) var isAsked = false

        mutating func noteAsked(_ isAsked: Bool) { self.isAsked = isAsked }

        var isApproved: Bool {
            guard !isAsked, let answer = lastAnswer, all[answer] == .allowed else { return false }
            return !after(answer).contains(.completed)
        }

        var isRefused: Bool {
            guard !isAsked, let answer = lastAnswer, all[answer] == .refused else { return false }
            return !after(answer).contains(.committed)
        }

        var isOwed: Bool {
            guard isApproved, let answer = lastAnswer else { return false }
            return !after(answer).contains { $0 == .requested || $0 == .taken }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every order of questions, answers, evictions and commits ends as in the model`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var subject = EvictionConsent()
        var model = History()
        for step in 0..<2_000 {
            let happening = Happening.allCases[Int(random.next() % UInt64(Happening.allCases.count))]
            switch happening {
            case .requested:
                let expected: EvictionConsent.Decision =
                    model.isApproved ? .evict : model.isAsked || model.isRefused ? .skip : .ask
                let decision = subject.request(hasDelegate: true)
                #expect(decision == expected, "seed \(seed), step \(step)")
                if decision == .ask { model.noteAsked(true) }
            case .allowed, .refused:
                guard model.isAsked else { continue }
                subject.answered(happening == .allowed)
                model.noteAsked(false)
            case .taken:
                let (expected, isOwed) = (model.isOwed, subject.takeOwed())
                #expect(isOwed == expected, "seed \(seed), step \(step)")
            case .completed: subject.complete()
            case .committed: subject.committed()
            }
            model.add(happening)
            #expect(
                subject.isApproved == model.isApproved && subject.isRefused == model.isRefused,
                "seed \(seed), step \(step)")
        }
    }

    /// A cache as far as evictions after flushes go: one turn at a time, evictions in turns, answers at any moment.
    private struct Turns {
        var consent = EvictionConsent()
        var excess = 0
        var isTurnTaken = false
        var isAsked = false

        /// The middle of a turn: after its commit, before its end.
        mutating func evictExcess() {
            guard excess > 0 else { return consent.complete() }
            switch consent.request(hasDelegate: true) {
            case .evict: excess = 0
            case .ask: isAsked = true
            case .skip: break
            }
        }

        mutating func commit() {
            isTurnTaken = true
            consent.committed()
            evictExcess()
        }

        mutating func endTurn() {
            isTurnTaken = false
            beginApproved()
        }

        mutating func answer(_ isAllowed: Bool) {
            isAsked = false
            consent.answered(isAllowed)
            beginApproved()
        }

        private mutating func beginApproved() {
            guard !isTurnTaken, consent.takeOwed() else { return }
            isTurnTaken = true
            evictExcess()
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `nothing that was approved is left when all turns have ended`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var turns = Turns()
        for round in 0..<500 {
            turns.excess = random.chance(500) ? 1 : 0
            turns.commit()
            // The answer comes within the turn, after it, or after the next one.
            var hasAllowed = false
            for _ in 0..<6 {
                switch random.next() % 3 {
                case 0 where turns.isAsked:
                    hasAllowed = random.chance(500)
                    turns.answer(hasAllowed)
                case 1 where turns.isTurnTaken: turns.endTurn()
                default: break
                }
            }
            if turns.isAsked {
                hasAllowed = true
                turns.answer(true)
            }
            while turns.isTurnTaken { turns.endTurn() }
            #expect(!hasAllowed || turns.excess == 0, "seed \(seed), round \(round)")
            #expect(turns.excess == 0 || turns.consent.isRefused, "seed \(seed), round \(round)")
        }
    }
}
