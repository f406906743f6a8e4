import Foundation
import TestTraits
import Testing
import TidemarkStore
import TidemarkTestKit

/// Protocol/sequencing.md's table against the real state, gate and machine, cell by cell. Laws: L4, L7.
@Suite(.pooled) struct SequencingTableTests {
    @Test(arguments: try SequencingCell.all())
    func `a cell behaves as its row says`(_ cell: SequencingCell) throws {
        let outcome = try cell.outcome()
        #expect(outcome == cell.expected)
    }

    @Test func `every cell of the page has a case, and every case a cell`() throws {
        let page = try String(
            contentsOf: ProtocolVector.protocolFolder.appending(path: "sequencing.md"), encoding: .utf8)
        let cells = try SequencingCell.all()
        let rows = page.matches(of: /(?m)^\| `([a-z]+\/[a-z-]+)` \|/).map { String($0.1) }
        #expect(rows.count == 105)
        #expect(Set(rows) == Set(cells.map(\.id)))
        let names = cells.map(\.description)
        #expect(Set(names).count == names.count)
    }

    @Test func `five attempts without progress are made, with pauses that double`() {
        var machine = ReconcileMachine()
        #expect(machine.start(at: 7) == .ask(attempt: 1))
        for attempt in 1...4 as ClosedRange<UInt64> {
            let milliseconds = Int64(125) << Int64(attempt - 1)
            #expect(
                machine.failed(attempt: attempt, isFinal: false, random: 0.5)
                    == .wait(attempt: attempt, milliseconds: milliseconds))
            #expect(machine.resumed(attempt: attempt, isMissing: true, at: 8) == .ask(attempt: attempt + 1))
        }
        #expect(machine.answered(attempt: 5, hasProgress: false, isMissing: true, random: 0.5, at: 9) == .giveUp)
        #expect(!machine.isActive)
    }

    @Test func `events that fill the gap during a pause end the attempt`() {
        var machine = ReconcileMachine()
        #expect(machine.start(at: 0) == .ask(attempt: 1))
        #expect(machine.failed(attempt: 1, isFinal: false, random: 0) == .wait(attempt: 1, milliseconds: 0))
        #expect(machine.failed(attempt: 1, isFinal: true, random: 0) == .ignore)
        #expect(machine.resumed(attempt: 1, isMissing: false, at: 1) == .settled)
        #expect(machine.resumed(attempt: 1, isMissing: true, at: 1) == .ignore)
        #expect(machine.start(at: 2) == .ask(attempt: 2))
        machine.cancel()
        #expect(machine.answered(attempt: 2, hasProgress: true, isMissing: false, random: 0, at: 3) == .ignore)
    }
}
