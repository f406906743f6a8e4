import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Holes against a plain list. Law: L8.
@Suite(.pooled) struct HoleListTests {
    private struct Hole: Equatable {
        var sequence: Int64
        var epoch: ByteString?
        var seenAt: Int64
        var isAsked = false
    }

    @Test(arguments: TestScale.seeds(20))
    func `holes are the first ones that fit, by number, each once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = random.pick([1, 4, 50])
        var holes = HoleList(countMax: countMax)
        var model: [Hole] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 400) {
            let step = Int64(walk.step - 1)
            let sequence = Int64(random.below(60))
            let epoch: ByteString? = random.pick([nil, "a", "b"])
            switch random.below(20) {
            case 0..<12:
                holes.insert(EventSequence(sequence), epoch: epoch, at: step)
                if model.count < countMax, !model.contains(where: { $0.sequence == sequence }) {
                    model.append(Hole(sequence: sequence, epoch: epoch, seenAt: step))
                }
            case 12:
                holes.markAsked()
                for index in model.indices { model[index].isAsked = true }
            case 13:
                holes.removeAsked()
                model.removeAll(where: \.isAsked)
            case 14:
                holes.keep(epoch: "a")
                model.removeAll { $0.epoch != "a" }
            case 15 where random.chance(100):
                holes.removeAll()
                model = []
            default:
                holes.remove(through: EventSequence(sequence))
                model.removeAll { $0.sequence <= sequence }
            }
            #expect(holes.sequences.map(\.rawValue) == model.map(\.sequence).sorted(), "\(walk)")
            #expect(holes.count == model.count && holes.isEmpty == model.isEmpty, "\(walk)")
            #expect(
                holes.unaskedSince == model.filter { !$0.isAsked }.map(\.seenAt).min(), "\(walk)")
            let probe = Int64(random.below(70))
            #expect(holes.contains(EventSequence(probe)) == model.contains { $0.sequence == probe })
            #expect(
                holes.highest(through: EventSequence(probe))?.rawValue
                    == model.map(\.sequence).filter { $0 <= probe }.max(), "\(walk)")
        }
    }
}
