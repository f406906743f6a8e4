import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSession

/// The output queue's decisions against a naive model, under random appends and writes. Law: L8.
@Suite(.pooled) struct OutputQueueStateTests {
    /// The lines as text; every count is computed from all lines.
    private struct Model {
        struct Line {
            var text: String
            var isNotification: Bool
            var call: Int64?
        }

        let notificationMax: Int
        var waiting: [Line] = []
        var writing: [Line] = []
        var kept: [(name: String, text: String)] = []
        var hasRefused = false

        var notificationCount: Int {
            (writing + waiting).filter(\.isNotification).reduce(0) { $0 + $1.text.utf8.count }
        }
        var answerCount: Int {
            (writing + waiting).filter { !$0.isNotification }.reduce(0) { $0 + $1.text.utf8.count }
        }
        var hasRoom: Bool { notificationCount < notificationMax }

        mutating func deliver(_ text: String) {
            waiting.append(Line(text: text, isNotification: hasRoom))
        }

        mutating func appendKept() {
            let all = kept
            kept = []
            for (_, text) in all { deliver(text) }
        }

        mutating func keepNewest(_ name: String, _ text: String) {
            if let index = kept.firstIndex(where: { $0.name == name }) {
                kept[index].text = text
                hasRefused = true
            } else if hasRoom {
                waiting.append(Line(text: text, isNotification: true))
            } else {
                kept.append((name, text))
                hasRefused = true
            }
        }
    }

    private func line(_ number: Int, _ random: inout SeededGenerator) -> String {
        "\(number)" + String(repeating: "x", count: random.below(random.chance(50) ? 900 : 40)) + "\n"
    }

    @Test(arguments: TestScale.seeds(200))
    func `lines are written in order, within their bounds`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bounds = OutputQueue.Bounds()
        bounds.notificationByteCountMax = 200 + random.below(1_000)
        bounds.answerByteCountMax = 300 + random.below(1_000)
        var state = OutputQueueState(bounds: bounds)
        var model = Model(notificationMax: bounds.notificationByteCountMax)
        var calls: Int64 = 0
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 400) {
            let text = line(walk.step, &random)
            let bytes = Array(text.utf8)
            switch random.below(10) {
            case 0, 1:
                state.append(bytes, as: .answer)
                model.waiting.append(.init(text: text, isNotification: false))
            case 2, 3:
                #expect(state.offer(bytes) == model.hasRoom, "\(walk)")
                if model.hasRoom {
                    model.waiting.append(.init(text: text, isNotification: true))
                } else {
                    model.hasRefused = true
                }
            case 4:
                state.deliver(bytes)
                model.deliver(text)
            case 5:
                let library = random.pick(["a", "b", "c"])
                let isDurable = random.chance(500)
                state.keepNewest(
                    .init(subject: isDurable ? .durable : .state, name: ByteString(library), line: bytes))
                model.keepNewest("\(library)\(isDurable)", text)
            case 6:
                calls += 1
                state.append(bytes, as: .answer, call: calls)
                model.waiting.append(.init(text: text, isNotification: false, call: calls))
            case 7:
                let call = Int64(random.below(Int(calls) + 2))
                state.withdraw(call: call)
                model.waiting.removeAll { $0.call == call }
            case 8:
                state.appendKept()
                model.appendKept()
            default:
                write(&state, &model, byteCountMax: 1 + random.below(500), walk)
            }
            #expect(state.notificationByteCount == model.notificationCount, "\(walk)")
            #expect(state.answerByteCount == model.answerCount, "\(walk)")
            #expect(state.holdsBack == (model.answerCount >= bounds.answerByteCountMax), "\(walk)")
        }
        while !state.isEmpty { write(&state, &model, byteCountMax: 300, walk) }
        #expect(model.waiting.isEmpty, "\(walk)")
        #expect(state.takeBytes(300).bytes.isEmpty, "\(walk)")
    }

    private func write(_ state: inout OutputQueueState, _ model: inout Model, byteCountMax: Int, _ walk: RandomWalk) {
        let bytes = state.takeBytes(byteCountMax).bytes
        var wanted = ""
        while let first = model.waiting.first, wanted.isEmpty || (wanted + first.text).utf8.count <= byteCountMax {
            wanted += first.text
            model.writing.append(model.waiting.removeFirst())
        }
        #expect(String(decoding: bytes, as: UTF8.self) == wanted, "\(walk)")
        if bytes.isEmpty { return }
        let (hasRoom, _) = state.wroteBytes()
        model.writing = []
        let tells = model.hasRefused && model.notificationCount <= model.notificationMax / 2
        if tells {
            model.hasRefused = false
            model.appendKept()
        }
        #expect(hasRoom == tells, "\(walk)")
    }
}
