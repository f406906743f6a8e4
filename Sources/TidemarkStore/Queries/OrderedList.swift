import TidemarkModel

/// An ordered list of handles that also finds the index of each handle: a treap whose nodes are addressed by number.
///
/// A node keeps its number while its element stays in the list, even when it moves. Marks distinguish shown elements,
/// and the list's own elements from those that only a layer adds. An index counts among all elements, the own ones or
/// the shown ones. The owner bounds the list.
///
/// - Complexity: Every operation on one element is O(log n) expected.
/// - Source: Seidel and Aragon, “Randomized search trees”, 1996.
package struct OrderedList {
    struct Node {
        var left = OrderedList.none
        var right = OrderedList.none
        var parent = OrderedList.none
        /// The number of nodes at and below this one. 0 for a free node, whose `parent` is the next free one.
        var size: UInt32 = 1
        /// How many of these nodes are shown.
        var shown: UInt32
        /// How many of these nodes are the list's own.
        var own: UInt32
        var marks: ElementMarks
        var priority: UInt32
        var handle: ListHandle
        /// The index of this node among its key's places in the reverse index, which the owner maintains.
        var place: UInt32 = 0
        var sortKey: [UInt8]

        var shownHere: UInt32 { marks.isShown ? 1 : 0 }
        var ownHere: UInt32 { marks.contains(.isExtra) ? 0 : 1 }
    }

    /// Which elements an index counts.
    package enum Part {
        /// All elements.
        case all
        /// The list's own elements: all except those that only layers add.
        case own
        /// The elements that readers and observers see.
        case shown
    }

    /// The number that means "no node".
    package static let none = ListNode.none

    var nodes: [Node] = []
    var root = OrderedList.none
    var firstFree = OrderedList.none
    /// The state of the random priorities. They only balance the tree; no order depends on them (law L11).
    var priorityState: UInt32 = 0x9E37_79B9

    /// Creates an empty list.
    package init() {}

    /// How many elements are the list's own.
    package var count: Int { count(.own, below: root) }

    /// How many elements there are, including those that only layers add.
    package var wholeCount: Int { count(.all, below: root) }

    /// How many elements are shown.
    package var shownCount: Int { count(.shown, below: root) }

    /// How many elements are hidden only because their entity is in neither tier.
    package private(set) var missingCount = 0

    /// True if the list has no element of any kind.
    package var isEmpty: Bool { root == OrderedList.none }

    /// How many bytes the list takes, sort keys included.
    package var byteCount: Int {
        nodes.reduce(nodes.capacity * MemoryLayout<Node>.stride) { $0 + $1.sortKey.count }
    }

    // MARK: Reading

    /// Returns the handle of the element at a node.
    package func handle(of node: ListNode) -> ListHandle { nodes[Int(node)].handle }

    /// Returns the sort key of the element at a node.
    package func sortKey(of node: ListNode) -> [UInt8] { nodes[Int(node)].sortKey }

    /// Returns the index of a node among its key's places in the reverse index.
    package func place(of node: ListNode) -> Int { Int(nodes[Int(node)].place) }

    /// Sets the index of a node among its key's places in the reverse index.
    package mutating func setPlace(of node: ListNode, _ place: Int) { nodes[Int(node)].place = UInt32(place) }

    /// Makes the element at a node name another key.
    package mutating func setHandle(of node: ListNode, _ handle: ListHandle) { nodes[Int(node)].handle = handle }

    /// The node of the last element; nil if the list is empty.
    package var last: ListNode? {
        guard root != OrderedList.none else { return nil }
        var at = root
        while nodes[Int(at)].right != OrderedList.none { at = nodes[Int(at)].right }
        return at
    }

    /// Sets the sort key of an element without moving it.
    package mutating func setSortKey(of node: ListNode, _ sortKey: [UInt8]) { nodes[Int(node)].sortKey = sortKey }

    /// Returns the marks of the element at a node.
    package func marks(of node: ListNode) -> ElementMarks { nodes[Int(node)].marks }

    /// Returns true if the element at a node is shown.
    package func isShown(_ node: ListNode) -> Bool { nodes[Int(node)].marks.isShown }

    /// Returns how many elements of a part precede a node; its own index, if it belongs to that part.
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
    /// - Precondition: That part has more than `index` elements.
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

    /// Returns how many elements of a part precede a sort key, in a list that is sorted by it.
    package func lowerBound(_ sortKey: [UInt8], among part: Part) -> Int {
        var at = root
        var index = 0
        while at != OrderedList.none {
            if ByteOrder.precedes(nodes[Int(at)].sortKey, sortKey) {
                index += count(part, below: nodes[Int(at)].left) + count(part, at: at)
                at = nodes[Int(at)].right
            } else {
                at = nodes[Int(at)].left
            }
        }
        return index
    }

    /// Returns the handles of the first shown elements, in list order.
    ///
    /// - Complexity: O(elements up to the last one returned + log n).
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

    /// Returns the handles of the elements in a range of indexes, in list order.
    ///
    /// - Parameter range: Indexes among all elements.
    /// - Complexity: O(range.count + log n).
    package func handles(in range: Range<Int>) -> [ListHandle] {
        guard !range.isEmpty else { return [] }
        var handles: [ListHandle] = []
        handles.reserveCapacity(range.count)
        var at = node(at: range.lowerBound, among: .all)
        while true {
            handles.append(nodes[Int(at)].handle)
            if handles.count == range.count { return handles }
            at = successor(at)
        }
    }

    /// Calls `body` for every node in list order.
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

    /// Returns how many elements of a part are at and below a node.
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
    /// - Parameters:
    ///   - handle: The key's handle.
    ///   - sortKey: The key that orders the element; empty in a list without a rule.
    ///   - marks: Why the element is shown or hidden.
    ///   - index: The index among all elements; at most `wholeCount`.
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

    /// Removes an element. The number of its node may be reused.
    package mutating func remove(_ node: ListNode) {
        detach(node)
        if nodes[Int(node)].marks.isMissed { missingCount -= 1 }
        nodes[Int(node)].size = 0
        nodes[Int(node)].sortKey = []
        nodes[Int(node)].parent = firstFree
        firstFree = node
    }

    /// Moves an element to an index among all elements, itself left out. Its node keeps its number.
    package mutating func move(_ node: ListNode, to index: Int) {
        detach(node)
        nodes[Int(node)].left = OrderedList.none
        nodes[Int(node)].right = OrderedList.none
        nodes[Int(node)].size = 1
        nodes[Int(node)].shown = nodes[Int(node)].shownHere
        nodes[Int(node)].own = nodes[Int(node)].ownHere
        attach(node, at: index)
    }

    /// Sets the marks of an element.
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

    /// Removes all elements.
    package mutating func removeAll() {
        self = OrderedList()
    }
}
