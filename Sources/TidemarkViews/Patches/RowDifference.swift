import TidemarkStore

/// Finds the changes between two versions of rows and of lists of rows.
enum RowDifference {
    /// Appends the changes inside a row.
    static func append(
        _ old: RenderedRow, _ new: RenderedRow, at path: [UInt8], to operations: inout [ViewPatchOperation]
    ) {
        ValueDifference.append(old.own, new.own, at: path, to: &operations)
        for (former, include) in zip(old.includes, new.includes) where former != include {
            append(former.content, include.content, at: PatchPath.member(path, include.name), to: &operations)
        }
    }

    private static func append(
        _ old: RenderedInclude.Content, _ new: RenderedInclude.Content, at path: [UInt8],
        to operations: inout [ViewPatchOperation]
    ) {
        switch (old, new) {
        case (.object(let former), .object(let current)):
            ValueDifference.append(former, current, at: path, to: &operations)
        case (.one(let former?), .one(let current?)) where former.key == current.key:
            append(former.row, current.row, at: path, to: &operations)
        case (.list(let former), .list(let current)):
            append(former, current, at: path, to: &operations)
        case (.one, _), (.object, _), (.list, _):
            var text: [UInt8] = []
            new.write(to: &text)
            operations.append(.replace(path: path, value: text))
        }
    }

    /// Appends the changes of a list: whole rows are added, removed and moved, with the smallest number of moves, and
    /// rows that stay are changed inside.
    static func append(
        _ old: [RenderedElement], _ new: [RenderedElement], at path: [UInt8], to operations: inout [ViewPatchOperation]
    ) {
        var handles: [[UInt8]: ListHandle] = [:]
        func handle(_ element: RenderedElement) -> ListHandle {
            if let known = handles[element.key] { return known }
            let handle = ListHandle(handles.count)
            handles[element.key] = handle
            return handle
        }
        let before = old.map(handle)
        let after = new.map(handle)
        let rows = Dictionary(zip(after, new.map(\.row))) { first, _ in first }
        let steps = ListDifference.operations(from: before, to: after) { _ in false }
        append(steps, at: path, to: &operations) { rows[$0]?.text ?? [] }
        let former = Dictionary(zip(before, old.map(\.row))) { first, _ in first }
        for (index, handle) in after.enumerated() {
            guard let row = former[handle], row != new[index].row else { continue }
            append(row, new[index].row, at: PatchPath.element(path, index), to: &operations)
        }
    }

    /// Appends the steps of a list.
    ///
    /// - Parameter value: Returns the row of a handle as JSON.
    static func append(
        _ steps: [ListOperation<ListHandle>], at path: [UInt8], to operations: inout [ViewPatchOperation],
        value: (ListHandle) -> [UInt8]
    ) {
        for step in steps {
            switch step {
            case .add(let handle, let index):
                operations.append(.add(path: PatchPath.element(path, index), value: value(handle)))
            case .remove(let index): operations.append(.remove(path: PatchPath.element(path, index)))
            case .replace(let handle, let index):
                operations.append(.replace(path: PatchPath.element(path, index), value: value(handle)))
            case .move(let from, let to):
                operations.append(.move(from: PatchPath.element(path, from), path: PatchPath.element(path, to)))
            }
        }
    }
}
