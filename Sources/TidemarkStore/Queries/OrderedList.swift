/// An ordered list of handles that knows where each of them stands: a treap whose nodes are addressed by number.
///
/// A node keeps its number while its element stays in the list, wherever that moves to. An element may be hidden: it
/// keeps its place and does not count among those that are shown. The list's owner bounds it.
///
/// - Complexity: Every operation on one element is O(log n) expected.
/// - Source: Seidel and Aragon, “Randomized search trees”, 1996.
package struct OrderedList {
    struct Node {
        var left = OrderedList.none
        var right = OrderedList.none
        var parent = OrderedList.none
        /// Nodes at and below this one; 0: free, and `parent` is the next free one.
        var size: UInt32 = 1
        /// Of those, the ones that are not hidden.
        var shown: UInt32 = 1
        var isHidden = false
        var priority: UInt32
        var handle: UInt32
        /// Where the element's own list of places names this node; the owner's to keep.
        var place: UInt32 = 0
        var sortKey: [UInt8]
    }

    /// No node.
    package static let none = UInt32.max

    private(set) var nodes: [Node] = []
    private(set) var root = OrderedList.none
    private var firstFree = OrderedList.none
    /// Priorities only balance the tree; no order depends on them (law L11).
    private var priorityState: UInt32 = 0x9E37_79B9

    package init() {}

    package var count: Int { root == OrderedList.none ? 0 : Int(nodes[Int(root)].size) }

    /// Elements that are not hidden.
    package var shownCount: Int { root == OrderedList.none ? 0 : Int(nodes[Int(root)].shown) }

    package var isEmpty: Bool { root == OrderedList.none }

    /// What the list takes, sort keys included.
    package var byteCount: Int {
        nodes.reduce(nodes.capacity * MemoryLayout<Node>.stride) { $0 + $1.sortKey.count }
    }

    // MARK: Reading

    package func handle(of node: UInt32) -> UInt32 { nodes[Int(node)].handle }

    package func sortKey(of node: UInt32) -> [UInt8] { nodes[Int(node)].sortKey }

    package func place(of node: UInt32) -> Int { Int(nodes[Int(node)].place) }

    package mutating func setPlace(of node: UInt32, _ place: Int) { nodes[Int(node)].place = UInt32(place) }

    package mutating func setSortKey(of node: UInt32, _ sortKey: [UInt8]) { nodes[Int(node)].sortKey = sortKey }

    /// Where a node's element stands, from 0.
    package func index(of node: UInt32) -> Int {
        var index = size(nodes[Int(node)].left)
        var at = node
        while nodes[Int(at)].parent != OrderedList.none {
            let parent = nodes[Int(at)].parent
            if nodes[Int(parent)].right == at { index += size(nodes[Int(parent)].left) + 1 }
            at = parent
        }
        return index
    }

    package func isHidden(_ node: UInt32) -> Bool { nodes[Int(node)].isHidden }

    /// How many elements that are shown stand before a node's.
    package func shownIndex(of node: UInt32) -> Int {
        var index = shown(nodes[Int(node)].left)
        var at = node
        while nodes[Int(at)].parent != OrderedList.none {
            let parent = nodes[Int(at)].parent
            if nodes[Int(parent)].right == at {
                index += shown(nodes[Int(parent)].left) + (nodes[Int(parent)].isHidden ? 0 : 1)
            }
            at = parent
        }
        return index
    }

    /// The node of the element at an index.
    ///
    /// - Precondition: `index` is below `count`.
    package func node(at index: Int) -> UInt32 {
        precondition(index >= 0 && index < count, "no element \(index) in a list of \(count)")
        var at = root
        var rest = index
        while true {
            let left = size(nodes[Int(at)].left)
            if rest == left { return at }
            if rest < left {
                at = nodes[Int(at)].left
            } else {
                rest -= left + 1
                at = nodes[Int(at)].right
            }
        }
    }

    /// How many elements stand before a sort key, in a list that is sorted by it.
    package func lowerBound(_ sortKey: [UInt8]) -> Int {
        var at = root
        var index = 0
        while at != OrderedList.none {
            if nodes[Int(at)].sortKey.lexicographicallyPrecedes(sortKey) {
                index += size(nodes[Int(at)].left) + 1
                at = nodes[Int(at)].right
            } else {
                at = nodes[Int(at)].left
            }
        }
        return index
    }

    /// The first handles that are shown, in list order, among the first `countMax` elements.
    ///
    /// - Complexity: O(countMax + log n).
    package func prefix(_ countMax: Int) -> [UInt32] {
        var handles: [UInt32] = []
        handles.reserveCapacity(min(countMax, count))
        forEachNode(countMax) { if !nodes[Int($0)].isHidden { handles.append(nodes[Int($0)].handle) } }
        return handles
    }

    /// Calls `body` with the first nodes in list order.
    package func forEachNode(_ countMax: Int = .max, _ body: (UInt32) -> Void) {
        guard root != OrderedList.none, countMax > 0 else { return }
        var at = leftmost(root)
        var rest = min(countMax, count)
        while rest > 0 {
            body(at)
            rest -= 1
            if rest > 0 { at = successor(at) }
        }
    }

    private func leftmost(_ node: UInt32) -> UInt32 {
        var at = node
        while nodes[Int(at)].left != OrderedList.none { at = nodes[Int(at)].left }
        return at
    }

    private func successor(_ node: UInt32) -> UInt32 {
        if nodes[Int(node)].right != OrderedList.none { return leftmost(nodes[Int(node)].right) }
        var at = node
        while nodes[Int(nodes[Int(at)].parent)].right == at { at = nodes[Int(at)].parent }
        return nodes[Int(at)].parent
    }

    func size(_ node: UInt32) -> Int { node == OrderedList.none ? 0 : Int(nodes[Int(node)].size) }

    func shown(_ node: UInt32) -> Int { node == OrderedList.none ? 0 : Int(nodes[Int(node)].shown) }

    // MARK: Changing

    /// Puts an element in so that it stands at an index.
    ///
    /// - Returns: Its node.
    /// - Precondition: `index` is at most `count`.
    package mutating func insert(_ handle: UInt32, sortKey: [UInt8] = [], at index: Int) -> UInt32 {
        precondition(index >= 0 && index <= count, "no place \(index) in a list of \(count)")
        let node = takeNode(handle, sortKey: sortKey)
        attach(node, at: index)
        return node
    }

    /// Takes an element out; its node's number may be given to another.
    package mutating func remove(_ node: UInt32) {
        detach(node)
        nodes[Int(node)].size = 0
        nodes[Int(node)].sortKey = []
        nodes[Int(node)].parent = firstFree
        firstFree = node
    }

    /// Takes an element out and puts it in so that it stands at an index; its node stays its own.
    package mutating func move(_ node: UInt32, to index: Int) {
        detach(node)
        nodes[Int(node)].left = OrderedList.none
        nodes[Int(node)].right = OrderedList.none
        nodes[Int(node)].size = 1
        nodes[Int(node)].shown = nodes[Int(node)].isHidden ? 0 : 1
        attach(node, at: index)
    }

    /// Hides an element, or shows it again, where it stands.
    package mutating func setHidden(_ node: UInt32, _ isHidden: Bool) {
        guard nodes[Int(node)].isHidden != isHidden else { return }
        nodes[Int(node)].isHidden = isHidden
        var at = node
        while at != OrderedList.none {
            if isHidden { nodes[Int(at)].shown -= 1 } else { nodes[Int(at)].shown += 1 }
            at = nodes[Int(at)].parent
        }
    }

    package mutating func removeAll() {
        self = OrderedList()
    }

    private mutating func takeNode(_ handle: UInt32, sortKey: [UInt8]) -> UInt32 {
        priorityState ^= priorityState << 13
        priorityState ^= priorityState >> 17
        priorityState ^= priorityState << 5
        let node = Node(priority: priorityState, handle: handle, sortKey: sortKey)
        if firstFree != OrderedList.none {
            let index = firstFree
            firstFree = nodes[Int(index)].parent
            nodes[Int(index)] = node
            return index
        }
        nodes.append(node)
        return UInt32(nodes.count - 1)
    }

    /// Hangs a single node in as a leaf, then lifts it to where its priority wants it.
    private mutating func attach(_ node: UInt32, at index: Int) {
        nodes[Int(node)].parent = OrderedList.none
        guard root != OrderedList.none else {
            root = node
            return
        }
        let shown = nodes[Int(node)].shown
        var at = root
        var rest = index
        while true {
            nodes[Int(at)].size += 1
            nodes[Int(at)].shown += shown
            let left = size(nodes[Int(at)].left)
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

    /// Sinks a node to a leaf, then takes it off.
    private mutating func detach(_ node: UInt32) {
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
        let shown: UInt32 = nodes[Int(node)].isHidden ? 0 : 1
        var at = parent
        while at != OrderedList.none {
            nodes[Int(at)].size -= 1
            nodes[Int(at)].shown -= shown
            at = nodes[Int(at)].parent
        }
    }

    private mutating func rotateUp(_ node: UInt32) {
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

    private mutating func recount(_ node: UInt32) {
        let left = nodes[Int(node)].left
        let right = nodes[Int(node)].right
        nodes[Int(node)].size = UInt32(size(left) + size(right) + 1)
        nodes[Int(node)].shown = UInt32(shown(left) + shown(right) + (nodes[Int(node)].isHidden ? 0 : 1))
    }
}
