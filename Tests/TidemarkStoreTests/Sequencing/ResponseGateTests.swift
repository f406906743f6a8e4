import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// Law L12: no answer undoes what was known when it was asked for, nor what happened since.
@Suite(.pooled) struct ResponseGateTests {
    private enum Scope: AnswerScope {
        case everything
        case key(Int)
        case below(Int)

        func includes(_ question: Int) -> Bool {
            switch self {
            case .everything: true
            case .key(let key): question == key
            case .below(let bound): question < bound
            }
        }
    }

    @Test func `a question that nothing happened to is current`() {
        var gate = ResponseGate<Scope>()
        gate.note(.everything)
        let mark = gate.begin()
        gate.note(.key(2))
        #expect(gate.verdict(on: mark, of: 1) == .current)
        #expect(gate.verdict(on: mark, of: 1).mayStore)
        #expect(gate.verdict(on: mark, of: 1).mayJoin)
    }

    @Test func `a note outdates the questions of its scope that are older, not those that are asked after it`() {
        var gate = ResponseGate<Scope>()
        let before = gate.begin()
        gate.note(.below(3))
        let after = gate.begin()
        #expect(gate.verdict(on: before, of: 1) == .void)
        #expect(gate.verdict(on: before, of: 3) == .current)
        #expect(gate.verdict(on: after, of: 1) == .current)
    }

    @Test func `a stale answer may be stored and not joined, and the strictest note counts`() {
        var gate = ResponseGate<Scope>()
        let mark = gate.begin()
        gate.note(.key(1), .stale)
        #expect(gate.verdict(on: mark, of: 1) == .stale)
        #expect(gate.verdict(on: mark, of: 1).mayStore)
        #expect(!gate.verdict(on: mark, of: 1).mayJoin)
        gate.note(.key(1), .void)
        gate.note(.everything, .stale)
        #expect(gate.verdict(on: mark, of: 1) == .void)
        #expect(gate.verdict(on: mark, of: 2) == .stale)
    }

    @Test func `an accepted answer outdates older questions, and none that was asked later`() {
        var gate = ResponseGate<Scope>()
        let first = gate.begin()
        let second = gate.begin()
        let third = gate.begin()
        gate.noteAnswer(.key(1), to: second)
        #expect(gate.verdict(on: first, of: 1) == .void)
        #expect(gate.verdict(on: first, of: 2) == .current)
        #expect(gate.verdict(on: second, of: 1) == .current)
        #expect(gate.verdict(on: third, of: 1) == .current)
    }

    @Test func `notes are kept only while an older question is under way`() {
        var gate = ResponseGate<Scope>()
        gate.note(.everything)
        #expect(gate.noteCount == 0)
        let first = gate.begin()
        gate.note(.key(1))
        let second = gate.begin()
        gate.note(.key(2))
        #expect(gate.noteCount == 2)
        gate.end(first)
        #expect(gate.noteCount == 1)
        #expect(gate.verdict(on: second, of: 2) == .void)
        gate.end(second)
        #expect(gate.noteCount == 0)
        #expect(gate.openCount == 0)
    }

    @Test func `past the bound of notes all questions under way are outdated, and later ones are not`() {
        var gate = ResponseGate<Scope>(noteCountMax: 2)
        let before = gate.begin()
        for key in 0..<2 { gate.note(.key(key)) }
        #expect(gate.verdict(on: before, of: 9) == .current)
        gate.note(.key(2))
        #expect(gate.verdict(on: before, of: 9) == .void)
        let after = gate.begin()
        #expect(gate.verdict(on: after, of: 0) == .current)
        #expect(gate.noteCount == 0)
        // A scope that is noted again needs no room.
        for _ in 0..<100 { gate.note(.key(7)) }
        #expect(gate.noteCount == 1)
        #expect(gate.verdict(on: after, of: 0) == .current)
    }

    // MARK: The naive model

    /// Everything that ever happened, in order.
    private enum Happening {
        case question
        case note(Scope, ResponseGate<Scope>.Verdict)
        case answer(Scope, to: Int)
    }

    /// Compares one question with everything that happened.
    private func verdict(_ history: [Happening], on place: Int, of question: Int) -> ResponseGate<Scope>.Verdict {
        var verdicts: [ResponseGate<Scope>.Verdict] = [.current]
        for (index, happening) in history.enumerated() {
            switch happening {
            case .note(let scope, let verdict) where index > place && scope.includes(question):
                verdicts.append(verdict)
            case .answer(let scope, let other) where other > place && scope.includes(question):
                verdicts.append(.void)
            default: break
            }
        }
        return verdicts.max() ?? .current
    }

    @Test(.tags(.model), arguments: TestScale.seeds(40))
    func `a gate decides as one that remembers everything`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var gate = ResponseGate<Scope>()
        var history: [Happening] = []
        var open: [(mark: ResponseGate<Scope>.Mark, place: Int)] = []
        let scopes: [Scope] = [.everything] + (0..<4).map { .key($0) } + (1..<4).map { .below($0) }
        let openCountMax = Int.random(in: 1...12, using: &random)
        for _ in 0..<120 {
            let scope = scopes[Int.random(in: 0..<scopes.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4 where open.count < openCountMax:
                open.append((gate.begin(), history.count))
                history.append(.question)
            case 4, 5:
                let verdict: ResponseGate<Scope>.Verdict = Bool.random(using: &random) ? .stale : .void
                gate.note(scope, verdict)
                history.append(.note(scope, verdict))
            case 6 where !open.isEmpty:
                let question = open[Int.random(in: 0..<open.count, using: &random)]
                gate.noteAnswer(scope, to: question.mark)
                history.append(.answer(scope, to: question.place))
            case 7... where !open.isEmpty:
                gate.end(open.remove(at: Int.random(in: 0..<open.count, using: &random)).mark)
            default: break
            }
            // One comparison a step: an expectation for each would take most of the time.
            let decided = open.map { mark, _ in (0..<4).map { gate.verdict(on: mark, of: $0) } }
            let wanted = open.map { _, place in (0..<4).map { verdict(history, on: place, of: $0) } }
            if decided != wanted {
                #expect(decided == wanted, "seed \(seed), after \(history.count) happenings")
                return
            }
            if gate.openCount != open.count || (open.isEmpty && gate.noteCount > 0) {
                #expect((gate.openCount, gate.noteCount) == (open.count, 0), "seed \(seed)")
                return
            }
        }
    }

    @Test(.tags(.model), arguments: TestScale.seeds(20))
    func `a gate with few notes is never milder than one that remembers everything`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var small = ResponseGate<Scope>(noteCountMax: 3)
        var large = ResponseGate<Scope>()
        var open: [(ResponseGate<Scope>.Mark, ResponseGate<Scope>.Mark)] = []
        for _ in 0..<150 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: if open.count < 8 { open.append((small.begin(), large.begin())) }
            case 2:
                guard !open.isEmpty else { continue }
                let (mark, same) = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                small.end(mark)
                large.end(same)
            default:
                let scope = Scope.key(Int.random(in: 0..<6, using: &random))
                small.note(scope)
                large.note(scope)
            }
            let isBounded = small.noteCount <= 3
            let isNeverMilder = open.allSatisfy { mark, same in
                (0..<6).allSatisfy { small.verdict(on: mark, of: $0) >= large.verdict(on: same, of: $0) }
            }
            guard isBounded, isNeverMilder else {
                #expect(isBounded && isNeverMilder, "seed \(seed)")
                return
            }
        }
    }
}
