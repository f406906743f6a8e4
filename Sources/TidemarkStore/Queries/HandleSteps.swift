/// One step of a list during a unit.
enum HandleStep: Equatable {
    case add(ListHandle, at: Int)
    case remove(ListHandle, at: Int)
    case replace(ListHandle, at: Int)
    case move(ListHandle, from: Int, to: Int)
}

/// The steps of a list in the current unit: as few as lead from what observers saw to the current list.
///
/// The changes of one unit bound it.
struct HandleSteps {
    private(set) var all: [HandleStep] = []

    var isEmpty: Bool { all.isEmpty }

    /// Adds a step. A step that reverts or continues the last one is combined with it.
    ///
    /// A layer may remove an element from one place and show it at another: two steps here, but one for observers.
    ///
    /// - Returns: True if an element with a `replace` step may in fact be unchanged.
    mutating func append(_ step: HandleStep) -> Bool {
        guard let last = all.last else {
            all.append(step)
            return false
        }
        switch (last, step) {
        case (.add(let added, let index), .remove(let removed, let place)) where added == removed && index == place:
            all.removeLast()
        case (.move(let moved, let from, let index), .remove(let removed, let place))
        where moved == removed && index == place:
            all.removeLast()
            return append(.remove(removed, at: from))
        case (.replace(let replaced, let index), .remove(let removed, let place))
        where replaced == removed && index == place:
            all.removeLast()
            return append(.remove(removed, at: index))
        case (.remove(let removed, let from), .add(let added, let target)) where removed == added:
            all.removeLast()
            if from != target { all.append(.move(added, from: from, to: target)) }
            all.append(.replace(added, at: target))
            return true
        default:
            all.append(step)
        }
        return false
    }

    /// Adds the replacement of an element, unless an earlier step already delivers its final value.
    mutating func appendReplacement(of handle: ListHandle, at index: Int) {
        for step in all {
            switch step {
            case .add(handle, _), .replace(handle, _): return
            case .add, .replace, .remove, .move: break
            }
        }
        all.append(.replace(handle, at: index))
    }

    /// Removes and returns all steps.
    mutating func removeAll() -> [HandleStep] {
        var steps: [HandleStep] = []
        swap(&steps, &all)
        return steps
    }

    /// Takes back an array that ``removeAll()`` returned, and keeps its memory.
    mutating func reuse(_ steps: inout [HandleStep]) {
        steps.removeAll(keepingCapacity: true)
        swap(&steps, &all)
    }
}
