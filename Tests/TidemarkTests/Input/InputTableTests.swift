import TestTraits
import Testing
import TidemarkModel

@testable import Tidemark

@Suite(.pooled) struct InputTableTests {
    private func open(
        _ table: inout InputTable, hasUnread: Bool = false, readLineCount: Int64 = 0
    ) -> (InputID, AsyncStream<Acknowledgement>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Acknowledgement.self)
        let position = InputPosition(
            hasUnread: { hasUnread }, readLineCount: { readLineCount }, acknowledgements: continuation)
        return (table.open(position), stream)
    }

    @Test func `a held line holds back the applied lines of its input alone`() {
        var table = InputTable()
        let (first, _) = open(&table)
        let (second, _) = open(&table)
        #expect(first != second)
        table.applied(through: 10, of: first)
        table.applied(through: 7, of: second)
        #expect(table.appliedLines { $0 == first ? 4 : nil } == [first: 3, second: 7])
    }

    @Test func `each acknowledgement is delivered once, and only if it adds lines`() async {
        var table = InputTable()
        let (input, stream) = open(&table)
        table.applied(through: 5, of: input)
        #expect(table.isAcknowledgementDue)
        table.acknowledge([input: 5], [:])
        table.acknowledge([input: 5], [:])
        table.acknowledge([input: 4], [:])
        #expect(!table.isAcknowledgementDue && table.durableLineCount(of: input) == 5)
        table.close(input)
        var lines: [Int64] = []
        for await acknowledgement in stream { lines.append(acknowledgement.lines) }
        #expect(lines == [5])
    }

    @Test func `the end of one of two inputs is not the end of input`() {
        var table = InputTable()
        let (first, _) = open(&table)
        _ = open(&table)
        let isLast = table.ended()
        #expect(!isLast && !table.hasEnded)
        table.close(first)
        let isLastNow = table.ended()
        #expect(isLastNow && table.hasEnded)
        _ = open(&table)
        #expect(!table.hasEnded)
    }

    @Test func `late events may come while an input has unread bytes, or lines that were not applied`() {
        var table = InputTable()
        #expect(!table.mayBringLateEvents)
        let (read, _) = open(&table, readLineCount: 3)
        #expect(table.mayBringLateEvents)
        table.applied(through: 3, of: read)
        #expect(!table.mayBringLateEvents)
        _ = open(&table, hasUnread: true)
        #expect(table.mayBringLateEvents)
    }
}
