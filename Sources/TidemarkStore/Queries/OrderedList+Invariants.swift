extension OrderedList {
    /// Stops the program if sizes, links or priorities contradict each other.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(n).
    package func checkInvariants() {
        var stack: [ListNode] = root == OrderedList.none ? [] : [root]
        var seen = 0
        var missing = 0
        while let at = stack.popLast() {
            seen += 1
            let node = nodes[Int(at)]
            precondition(
                Int(node.size) == count(.all, below: node.left) + count(.all, below: node.right) + 1,
                "node \(at) counts \(node.size) elements")
            precondition(
                Int(node.shown) == count(.shown, below: node.left) + count(.shown, below: node.right)
                    + Int(node.shownHere),
                "node \(at) shows \(node.shown) elements")
            precondition(
                Int(node.own) == count(.own, below: node.left) + count(.own, below: node.right) + Int(node.ownHere),
                "node \(at) has \(node.own) elements of the list's own")
            if node.marks.isMissed { missing += 1 }
            for child in [node.left, node.right] where child != OrderedList.none {
                precondition(nodes[Int(child)].parent == at, "node \(child) does not know its parent \(at)")
                precondition(nodes[Int(child)].priority <= node.priority, "node \(child) stands above its place")
                stack.append(child)
            }
        }
        precondition(seen == wholeCount, "\(seen) nodes for \(wholeCount) elements")
        precondition(missing == missingCount, "\(missing) elements are missing, not \(missingCount)")
    }
}
