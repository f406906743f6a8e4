extension ViewSet {
    /// Returns the operations of an update with whole rows: a row that changed inside is replaced, once.
    ///
    /// Operations inside rows come last, with the places that rows have afterwards; ``RowDifference`` makes them so.
    ///
    /// - Parameter update: The last update of an open window, which has not changed since.
    /// - Complexity: O(update.patch.count), and the size of the rows that changed inside.
    package func wholeRows(_ update: ViewUpdate) -> [ViewPatchOperation] {
        var whole: [ViewPatchOperation] = []
        var last: Int?
        for operation in update.patch {
            guard let index = operation.rowChangedInside else {
                whole.append(operation)
                continue
            }
            guard index != last, let row = row(index, of: update.window) else { continue }
            last = index
            whole.append(.replace(path: PatchPath.element([], index), value: row))
        }
        return whole
    }

    private func row(_ index: Int, of number: ViewWindowID) -> [UInt8]? {
        guard let window = windows[number], window.order.indices.contains(index) else { return nil }
        return window.shown[window.order[index]]?.row.text
    }
}

extension ViewPatchOperation {
    /// The index of the row inside which the operation changes something; nil if it concerns a row as a whole.
    fileprivate var rowChangedInside: Int? {
        let path =
            switch self {
            case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path): path
            }
        guard let end = path.dropFirst().firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return Int(String(decoding: path[1..<end], as: UTF8.self))
    }
}
