import TidemarkStore

/// Finds what one step of a result does to a window of it: at most one row enters the window, and at most one leaves.
struct WindowEdge {
    let offset: Int
    let limit: Int?

    /// The number of rows that the window shows of a result with a number of rows.
    func count(of total: Int) -> Int { min(max(total - offset, 0), limit ?? .max) }

    /// Returns the operations on the window, each on what the one before leaves.
    ///
    /// - Parameters:
    ///   - countBefore: The number of rows in the result before the step.
    ///   - countAfter: The number of rows in the result after the step.
    ///   - row: Returns the row at an index of the result after the step.
    func operations(
        _ step: RowStep, _ countBefore: Int, _ countAfter: Int, row: (Int) -> RowNumber
    ) -> [ListOperation<ListHandle>] {
        let (before, after) = (count(of: countBefore), count(of: countAfter))
        let from = step.from.map { place($0, before) } ?? .behind
        let to = step.to.map { place($0, after) } ?? .behind
        var operations: [ListOperation<ListHandle>] = []
        func add(at index: Int) {
            operations.append(.add(ListHandle(rawValue: row(offset + index)), at: index))
        }
        switch (from, to) {
        case (.inside(let old), .inside(let new)): if old != new { operations.append(.move(from: old, to: new)) }
        case (.inside(let old), .behind):
            operations.append(.remove(at: old))
            if after == before { add(at: after - 1) }
        case (.inside(let old), .before):
            operations.append(.remove(at: old))
            if after == before { add(at: 0) }
        case (.before, .inside(let new)):
            if after == before { operations.append(.remove(at: 0)) }
            add(at: new)
        case (.behind, .inside(let new)):
            if after == before { operations.append(.remove(at: before - 1)) }
            add(at: new)
        case (.before, .behind):
            // What is behind the row moves towards the front.
            guard before > 0 else { break }
            operations.append(.remove(at: 0))
            if after == before { add(at: after - 1) }
        case (.behind, .before):
            // What is behind the row's new place moves away from the front.
            guard after > 0 else { break }
            if after == before { operations.append(.remove(at: before - 1)) }
            add(at: 0)
        case (.before, .before), (.behind, .behind): break
        }
        return operations
    }

    private enum Place {
        case before, behind
        case inside(Int)
    }

    private func place(_ index: Int, _ count: Int) -> Place {
        if index < offset { return .before }
        return index - offset < count ? .inside(index - offset) : .behind
    }
}
