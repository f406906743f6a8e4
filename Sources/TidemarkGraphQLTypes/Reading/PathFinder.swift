/// Computes the path of a position in JSON text, so that readers need not keep track of it.
enum PathFinder {
    private struct Container {
        /// The index of the current element; -1 in an object.
        var index: Int
        var name: Range<Int>?
        var expectsName: Bool
    }

    /// Returns the response names and indices that lead to the value at an offset.
    ///
    /// - Complexity: O(offset).
    static func path(to target: Int, in bytes: UnsafeRawBufferPointer) -> [SelectionPathElement] {
        var open: [Container] = []
        var at = 0
        while at < min(target, bytes.count) {
            switch bytes[at] {
            case UInt8(ascii: "{"): open.append(Container(index: -1, expectsName: true))
            case UInt8(ascii: "["): open.append(Container(index: 0, expectsName: false))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if !open.isEmpty { open.removeLast() }
            case UInt8(ascii: ","):
                guard let last = open.indices.last else { break }
                if open[last].index >= 0 { open[last].index += 1 } else { open[last].expectsName = true }
            case UInt8(ascii: "\""):
                let end = self.end(ofStringAt: at, in: bytes)
                if let last = open.indices.last, open[last].expectsName {
                    open[last].name = at + 1..<max(at + 1, end - 1)
                    open[last].expectsName = false
                }
                at = end - 1
            default: break
            }
            at += 1
        }
        return open.compactMap { container in
            if container.index >= 0 { return .index(container.index) }
            return container.name.map { .name(String(decoding: bytes[$0], as: UTF8.self)) }
        }
    }

    /// Returns the offset after the closing quote of a string.
    private static func end(ofStringAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var at = start + 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(at + 1, bytes.count)
    }
}
