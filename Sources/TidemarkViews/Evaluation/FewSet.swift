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

    mutating func insert(_ element: Element) {
        guard many.isEmpty else {
            many.insert(element)
            return
        }
        guard !few.contains(element) else { return }
        few.append(element)
        guard few.count > FewSet.fewCountMax else { return }
        many = Set(few)
        few = []
    }

    mutating func remove(_ element: Element) {
        if many.isEmpty {
            few.removeAll { $0 == element }
        } else {
            many.remove(element)
        }
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
