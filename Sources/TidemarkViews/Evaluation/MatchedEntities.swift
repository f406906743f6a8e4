/// The entities that a lookup found, in no order. Most lookups find one, which takes no array.
struct MatchedEntities: RandomAccessCollection {
    private var first: EntityNumber?
    private var others: [EntityNumber] = []

    init() {}

    init(_ numbers: [EntityNumber]) {
        first = numbers.first
        others = Array(numbers.dropFirst())
    }

    var startIndex: Int { 0 }

    var endIndex: Int { first == nil ? 0 : others.count + 1 }

    subscript(position: Int) -> EntityNumber {
        if position == 0, let first { return first }
        return others[position - 1]
    }

    mutating func append(_ number: EntityNumber) {
        if first == nil { first = number } else { others.append(number) }
    }
}
