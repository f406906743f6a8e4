import TestTraits
import Testing
import TidemarkStore
import TidemarkTesting

@testable import TidemarkViews

/// Windows that follow single steps of a result, compared with windows that are cut anew.
@Suite(.pooled) struct WindowEdgeTests {
    @Test(arguments: 0..<200)
    func `one step of a result changes a window as cutting it anew does`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let edge = WindowEdge(offset: random.below(5), limit: random.below(3) == 0 ? nil : random.below(5))
        var rows: [RowNumber] = []
        var next: RowNumber = 0
        for _ in 0..<60 {
            var after = rows
            var step = RowStep(number: next, from: nil, to: nil)
            if rows.isEmpty || random.below(3) == 0 {
                let to = random.below(rows.count + 1)
                step = RowStep(number: next, from: nil, to: to)
                after.insert(next, at: to)
                next += 1
            } else {
                let from = random.below(rows.count)
                let number = after.remove(at: from)
                let to = random.below(2) == 0 ? random.below(after.count + 1) : nil
                if let to { after.insert(number, at: to) }
                step = RowStep(number: number, from: from, to: to)
            }
            var window = cut(rows, edge)
            let operations = edge.operations(step, rows.count, after.count) { after[$0] }
            for operation in operations { apply(operation, &window) }
            #expect(window == cut(after, edge), "seed \(seed), \(step), \(rows)")
            #expect(operations.count <= 2)
            rows = after
        }
    }

    private func cut(_ rows: [RowNumber], _ edge: WindowEdge) -> [RowNumber] {
        Array(rows.dropFirst(edge.offset).prefix(edge.limit ?? .max))
    }

    private func apply(_ operation: ListOperation<ListHandle>, _ window: inout [RowNumber]) {
        switch operation {
        case .add(let handle, let index): window.insert(handle.rawValue, at: index)
        case .remove(let index): window.remove(at: index)
        case .move(let from, let to): window.insert(window.remove(at: from), at: to)
        case .replace: Issue.record("a step replaces nothing")
        }
    }
}
