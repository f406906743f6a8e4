/// An ordered list of handles that finds the index of each of them: a treap whose nodes are addressed by number.
///
/// A node keeps its number while its element stays in the list, also when it moves. Marks say which elements are shown,
/// and which are the list's own rather than there for a layer alone; indexes count among all elements, among the own or
/// among the shown ones. The list's owner bounds it.
///
/// - Complexity: Every operation on one element is O(log n) expected.
/// - Source: Seidel and Aragon, “Randomized search trees”, 1996.
package struct OrderedList {
    struct Node {
        var left = OrderedList.none
        var right = OrderedList.none
        var parent = OrderedList.none
        /// The number of nodes at and below this one; 0: the node is free, and `parent` is the next free one.
        var size: UInt32 = 1
        /// The number of shown elements among these nodes.
        var shown: UInt32
        /// The number of the list's own elements among these nodes.
        var own: UInt32
        var marks: ElementMarks
        var priority: UInt32
        var handle: ListHandle
        /// The index of this node among its key's places in the reverse index; maintained by the owner.
        var place: UInt32 = 0
        var sortKey: [UInt8]

        var shownHere: UInt32 { marks.isShown ? 1 : 0 }
        var ownHere: UInt32 { marks.contains(.isExtra) ? 0 : 1 }
    }

    /// The elements among which an index counts.
    package enum Part {
        case all
        /// The list's own elements: all except the extra ones.
        case own
        case shown
    }

    /// The number that stands for no node.
    package static let none = ListNode.none

    var nodes: [Node] = []
    var root = OrderedList.none
    var firstFree = OrderedList.none
    /// The state of the random priorities. They only balance the tree; no order depends on them (law L11).
    var priorityState: UInt32 = 0x9E37_79B9

    package init() {}

    /// The number of the list's own elements.
    package var count: Int { count(.own, below: root) }

    /// The number of elements, including extra ones.
    package var wholeCount: Int { count(.all, below: root) }

    /// The number of shown elements.
    package var shownCount: Int { count(.shown, below: root) }

    /// The number of elements that are hidden only because their entity is in no tier.
    package private(set) var missingCount = 0

    package var isEmpty: Bool { root == OrderedList.none }

    /// The number of bytes that the list takes, including sort keys.
    package var byteCount: Int {
        nodes.reduce(nodes.capacity * MemoryLayout<Node>.stride) { $0 + $1.sortKey.count }
    }

    // MARK: Reading

    package func handle(of node: ListNode) -> ListHandle { nodes[Int(node)].handle }

    package func sortKey(of node: ListNode) -> [UInt8] { nodes[Int(node)].sortKey }

    package func place(of node: ListNode) -> Int { Int(nodes[Int(node)].place) }

    package mutating func setPlace(of node: ListNode, _ place: Int) { nodes[Int(node)].place = UInt32(place) }

    package mutating func setHandle(of node: ListNode, _ handle: ListHandle) { nodes[Int(node)].handle = handle }

    /// The node of the last element; nil when there is none.
    package var last: ListNode? {
        guard root != OrderedList.none else { return nil }
        var at = root
        while nodes[Int(at)].right != OrderedList.none { at = nodes[Int(at)].right }
        return at
    }

    package mutating func setSortKey(of node: ListNode, _ sortKey: [UInt8]) { nodes[Int(node)].sortKey = sortKey }

    package func marks(of node: ListNode) -> ElementMarks { nodes[Int(node)].marks }

    package func isShown(_ node: ListNode) -> Bool { nodes[Int(node)].marks.isShown }

    /// Returns the number of elements of a part before a node: its own index when it is one of them.
    package func index(of node: ListNode, among part: Part) -> Int {
        var index = count(part, below: nodes[Int(node)].left)
        var at = node
        while nodes[Int(at)].parent != OrderedList.none {
            let parent = nodes[Int(at)].parent
            if nodes[Int(parent)].right == at {
                index += count(part, below: nodes[Int(parent)].left) + count(part, at: parent)
            }
            at = parent
        }
        return index
    }

    /// Returns the node of the element at an index.
    ///
    /// - Precondition: There are more than `index` elements of that part.
    package func node(at index: Int, among part: Part) -> ListNode {
        // No input reaches it: each caller has compared its index with the count of that part, or follows a step that
        // leaves the index valid; the bounds of lists are 1 at least, also when a rule or a recording names less.
        precondition(
            index >= 0 && index < count(part, below: root),
            "no element \(index) in a list of \(count(part, below: root))")
        var at = root
        var rest = index
        while true {
            let left = count(part, below: nodes[Int(at)].left)
            let here = count(part, at: at)
            if rest < left {
                at = nodes[Int(at)].left
            } else if rest == left, here == 1 {
                return at
            } else {
                rest -= left + here
                at = nodes[Int(at)].right
            }
        }
    }

    /// Returns the number of elements of a part before a sort key, in a list that is sorted by it.
    package func lowerBound(_ sortKey: [UInt8], among part: Part) -> Int {
        var at = root
        var index = 0
        while at != OrderedList.none {
            if nodes[Int(at)].sortKey.lexicographicallyPrecedes(sortKey) {
                index += count(part, below: nodes[Int(at)].left) + count(part, at: at)
                at = nodes[Int(at)].right
            } else {
                at = nodes[Int(at)].left
            }
        }
        return index
    }

    /// Returns the first handles that are shown, in list order.
    ///
    /// - Complexity: O(elements up to the last returned one + log n).
    package func shownPrefix(_ countMax: Int) -> [ListHandle] {
        let wanted = min(countMax, shownCount)
        var handles: [ListHandle] = []
        handles.reserveCapacity(wanted)
        guard wanted > 0 else { return handles }
        var at = leftmost(root)
        while true {
            if nodes[Int(at)].marks.isShown { handles.append(nodes[Int(at)].handle) }
            if handles.count == wanted { return handles }
            at = successor(at)
        }
    }

    /// Calls `body` with every node in list order.
    package func forEachNode(_ body: (ListNode) -> Void) {
        guard root != OrderedList.none else { return }
        var at = leftmost(root)
        for rest in stride(from: wholeCount - 1, through: 0, by: -1) {
            body(at)
            if rest > 0 { at = successor(at) }
        }
    }

    private func leftmost(_ node: ListNode) -> ListNode {
        var at = node
        while nodes[Int(at)].left != OrderedList.none { at = nodes[Int(at)].left }
        return at
    }

    private func successor(_ node: ListNode) -> ListNode {
        if nodes[Int(node)].right != OrderedList.none { return leftmost(nodes[Int(node)].right) }
        var at = node
        while nodes[Int(nodes[Int(at)].parent)].right == at { at = nodes[Int(at)].parent }
        return nodes[Int(at)].parent
    }

    /// Returns the number of elements of a part at and below a node.
    @inline(__always)
    func count(_ part: Part, below node: ListNode) -> Int {
        guard node != OrderedList.none else { return 0 }
        return switch part {
        case .all: Int(nodes[Int(node)].size)
        case .own: Int(nodes[Int(node)].own)
        case .shown: Int(nodes[Int(node)].shown)
        }
    }

    @inline(__always)
    func count(_ part: Part, at node: ListNode) -> Int {
        switch part {
        case .all: 1
        case .own: Int(nodes[Int(node)].ownHere)
        case .shown: Int(nodes[Int(node)].shownHere)
        }
    }

    // MARK: Changes

    /// Inserts an element at an index.
    ///
    /// - Parameter index: The index among all elements; at most `wholeCount`.
    /// - Returns: The element's node.
    package mutating func insert(
        _ handle: ListHandle, sortKey: [UInt8] = [], marks: ElementMarks = [], at index: Int
    ) -> ListNode {
        // No input reaches it: indexes come from the list itself: its count, a bound found in it, or a step that is
        // undone.
        precondition(index >= 0 && index <= wholeCount, "no place \(index) in a list of \(wholeCount)")
        let node = takeNode(handle, sortKey: sortKey, marks: marks)
        attach(node, at: index)
        if marks.isMissed { missingCount += 1 }
        return node
    }

    /// Removes an element; its node's number may be reused.
    package mutating func remove(_ node: ListNode) {
        detach(node)
        if nodes[Int(node)].marks.isMissed { missingCount -= 1 }
        nodes[Int(node)].size = 0
        nodes[Int(node)].sortKey = []
        nodes[Int(node)].parent = firstFree
        firstFree = node
    }

    /// Moves an element to an index among all elements; its node keeps its number.
    package mutating func move(_ node: ListNode, to index: Int) {
        detach(node)
        nodes[Int(node)].left = OrderedList.none
        nodes[Int(node)].right = OrderedList.none
        nodes[Int(node)].size = 1
        nodes[Int(node)].shown = nodes[Int(node)].shownHere
        nodes[Int(node)].own = nodes[Int(node)].ownHere
        attach(node, at: index)
    }

    /// Sets the marks of an element at its place.
    package mutating func setMarks(of node: ListNode, _ marks: ElementMarks) {
        let old = nodes[Int(node)]
        guard old.marks != marks else { return }
        if old.marks.isMissed { missingCount -= 1 }
        if marks.isMissed { missingCount += 1 }
        nodes[Int(node)].marks = marks
        // The subtraction may wrap: the removed count was included before.
        let shown = nodes[Int(node)].shownHere &- old.shownHere
        let own = nodes[Int(node)].ownHere &- old.ownHere
        guard shown != 0 || own != 0 else { return }
        var at = node
        while at != OrderedList.none {
            nodes[Int(at)].shown &+= shown
            nodes[Int(at)].own &+= own
            at = nodes[Int(at)].parent
        }
    }

    package mutating func removeAll() {
        self = OrderedList()
    }
}
