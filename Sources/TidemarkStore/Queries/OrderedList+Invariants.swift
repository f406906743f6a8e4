extension OrderedList {
    /// Traps when sizes, links or priorities contradict each other.
    ///
    /// - Complexity: O(n).
    package func checkInvariants() {
        var stack: [UInt32] = root == OrderedList.none ? [] : [root]
        var seen = 0
        while let at = stack.popLast() {
            seen += 1
            let node = nodes[Int(at)]
            precondition(
                Int(node.size) == size(node.left) + size(node.right) + 1, "node \(at) counts \(node.size) elements")
            precondition(
                Int(node.shown) == shown(node.left) + shown(node.right) + (node.isHidden ? 0 : 1),
                "node \(at) shows \(node.shown) elements")
            for child in [node.left, node.right] where child != OrderedList.none {
                precondition(nodes[Int(child)].parent == at, "node \(child) does not know its parent \(at)")
                precondition(nodes[Int(child)].priority <= node.priority, "node \(child) stands above its place")
                stack.append(child)
            }
        }
        precondition(seen == count, "\(seen) nodes for \(count) elements")
    }
}
