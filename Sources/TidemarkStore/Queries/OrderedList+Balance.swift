/// The tree of the list: insertion and removal of nodes, rotations and counts.
extension OrderedList {
    mutating func takeNode(_ handle: ListHandle, sortKey: [UInt8], marks: ElementMarks) -> ListNode {
        priorityState ^= priorityState << 13
        priorityState ^= priorityState >> 17
        priorityState ^= priorityState << 5
        let node = Node(
            shown: marks.isShown ? 1 : 0, own: marks.contains(.isExtra) ? 0 : 1, marks: marks, priority: priorityState,
            handle: handle, sortKey: sortKey)
        if firstFree != OrderedList.none {
            let index = firstFree
            firstFree = nodes[Int(index)].parent
            nodes[Int(index)] = node
            return index
        }
        nodes.append(node)
        return ListNode(nodes.count - 1)
    }

    /// Attaches a single node as a leaf, then rotates it up until its priority fits.
    mutating func attach(_ node: ListNode, at index: Int) {
        nodes[Int(node)].parent = OrderedList.none
        guard root != OrderedList.none else {
            root = node
            return
        }
        let shown = nodes[Int(node)].shown
        let own = nodes[Int(node)].own
        var at = root
        var rest = index
        while true {
            nodes[Int(at)].size += 1
            nodes[Int(at)].shown += shown
            nodes[Int(at)].own += own
            let left = count(.all, below: nodes[Int(at)].left)
            if rest <= left {
                guard nodes[Int(at)].left != OrderedList.none else {
                    nodes[Int(at)].left = node
                    break
                }
                at = nodes[Int(at)].left
            } else {
                rest -= left + 1
                guard nodes[Int(at)].right != OrderedList.none else {
                    nodes[Int(at)].right = node
                    break
                }
                at = nodes[Int(at)].right
            }
        }
        nodes[Int(node)].parent = at
        while nodes[Int(node)].parent != OrderedList.none,
            nodes[Int(nodes[Int(node)].parent)].priority < nodes[Int(node)].priority
        {
            rotateUp(node)
        }
    }

    /// Rotates a node down to a leaf, then detaches it.
    mutating func detach(_ node: ListNode) {
        while true {
            let left = nodes[Int(node)].left
            let right = nodes[Int(node)].right
            if left == OrderedList.none && right == OrderedList.none { break }
            if right == OrderedList.none {
                rotateUp(left)
            } else if left == OrderedList.none || nodes[Int(left)].priority < nodes[Int(right)].priority {
                rotateUp(right)
            } else {
                rotateUp(left)
            }
        }
        let parent = nodes[Int(node)].parent
        if parent == OrderedList.none {
            root = OrderedList.none
            return
        }
        if nodes[Int(parent)].left == node {
            nodes[Int(parent)].left = OrderedList.none
        } else {
            nodes[Int(parent)].right = OrderedList.none
        }
        let shown = nodes[Int(node)].shownHere
        let own = nodes[Int(node)].ownHere
        var at = parent
        while at != OrderedList.none {
            nodes[Int(at)].size -= 1
            nodes[Int(at)].shown -= shown
            nodes[Int(at)].own -= own
            at = nodes[Int(at)].parent
        }
    }

    private mutating func rotateUp(_ node: ListNode) {
        let parent = nodes[Int(node)].parent
        let grandparent = nodes[Int(parent)].parent
        if nodes[Int(parent)].left == node {
            let middle = nodes[Int(node)].right
            nodes[Int(parent)].left = middle
            if middle != OrderedList.none { nodes[Int(middle)].parent = parent }
            nodes[Int(node)].right = parent
        } else {
            let middle = nodes[Int(node)].left
            nodes[Int(parent)].right = middle
            if middle != OrderedList.none { nodes[Int(middle)].parent = parent }
            nodes[Int(node)].left = parent
        }
        nodes[Int(parent)].parent = node
        nodes[Int(node)].parent = grandparent
        if grandparent == OrderedList.none {
            root = node
        } else if nodes[Int(grandparent)].left == parent {
            nodes[Int(grandparent)].left = node
        } else {
            nodes[Int(grandparent)].right = node
        }
        recount(parent)
        recount(node)
    }

    private mutating func recount(_ node: ListNode) {
        let left = nodes[Int(node)].left
        let right = nodes[Int(node)].right
        nodes[Int(node)].size = UInt32(count(.all, below: left) + count(.all, below: right) + 1)
        nodes[Int(node)].shown = UInt32(
            count(.shown, below: left) + count(.shown, below: right) + count(.shown, at: node))
        nodes[Int(node)].own = UInt32(count(.own, below: left) + count(.own, below: right) + count(.own, at: node))
    }
}
