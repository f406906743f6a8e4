/// A set that usually has few elements: up to eight are searched one after the other, and only more are hashed.
///
/// Nearly every shown row reads two or three entities. Three hashed sets for each row took a third of the time of
/// rendering it. The owner bounds the set.
struct FewSet<Element: Hashable & Sendable>: Sendable {
    private static var fewCountMax: Int { 8 }

    /// The elements, as long as they are few; otherwise empty.
    private var few: [Element] = []
    private var many: Set<Element> = []

    init() {}

    var count: Int { few.count + many.count }

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    func contains(_ element: Element) -> Bool { many.isEmpty ? few.contains(element) : many.contains(element) }

    /// Adds an element.
    ///
    /// - Returns: False if it was already there.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard many.isEmpty else { return many.insert(element).inserted }
        guard !few.contains(element) else { return false }
        few.append(element)
        if few.count > FewSet.fewCountMax {
            many = Set(few)
            few = []
        }
        return true
    }

    /// Removes an element.
    ///
    /// - Returns: False if it was not there.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard many.isEmpty else { return many.remove(element) != nil }
        guard let place = few.firstIndex(of: element) else { return false }
        few.remove(at: place)
        return true
    }

    func isDisjoint(with others: Set<Element>) -> Bool { allSatisfy { !others.contains($0) } }
}

extension FewSet: Sequence {
    /// Iterates over the elements, in no order.
    func makeIterator() -> Iterator { Iterator(few: few.makeIterator(), many: many.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var few: [Element].Iterator
        fileprivate var many: Set<Element>.Iterator

        mutating func next() -> Element? { few.next() ?? many.next() }
    }
}

extension FewSet: Equatable {
    static func == (left: FewSet, right: FewSet) -> Bool {
        left.few == right.few && left.many == right.many || left.count == right.count && left.allSatisfy(right.contains)
    }
}
