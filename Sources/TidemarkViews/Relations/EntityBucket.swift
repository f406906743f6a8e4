/// The entities with one join key. Many keys are those of one entity, which takes no set of its own; few entities are a
/// sorted array, which is a third of a set.
enum EntityBucket: Sendable {
    case none
    case one(EntityNumber)
    /// Two entities or more, ascending.
    case few([EntityNumber])
    case many(Set<EntityNumber>)

    /// The most entities that are kept as an array.
    private static let fewCountMax = 512

    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .few(let numbers): numbers.count
        case .many(let numbers): numbers.count
        }
    }

    /// Calls `body` for each entity, in no order.
    func forEach(_ body: (EntityNumber) -> Void) {
        switch self {
        case .none: break
        case .one(let number): body(number)
        case .few(let numbers): for number in numbers { body(number) }
        case .many(let numbers): for number in numbers { body(number) }
        }
    }

    /// Inserts an entity.
    ///
    /// - Returns: False if it was already there.
    mutating func insert(_ number: EntityNumber) -> Bool {
        switch self {
        case .none:
            self = .one(number)
            return true
        case .one(let other):
            guard other != number else { return false }
            self = .few(other < number ? [other, number] : [number, other])
            return true
        case .few(var numbers):
            let place = EntityBucket.place(of: number, in: numbers)
            guard place == numbers.count || numbers[place] != number else { return false }
            // Out of the bucket while it changes, so that it is not copied.
            self = .none
            numbers.insert(number, at: place)
            self = numbers.count > EntityBucket.fewCountMax ? .many(Set(numbers)) : .few(numbers)
            return true
        case .many(var numbers):
            self = .none
            let isInserted = numbers.insert(number).inserted
            self = .many(numbers)
            return isInserted
        }
    }

    /// Removes an entity.
    ///
    /// - Returns: False if it was not there.
    mutating func remove(_ number: EntityNumber) -> Bool {
        switch self {
        case .none: return false
        case .one(let other):
            guard other == number else { return false }
            self = .none
            return true
        case .few(var numbers):
            let place = EntityBucket.place(of: number, in: numbers)
            guard place < numbers.count, numbers[place] == number else { return false }
            self = .none
            numbers.remove(at: place)
            self = numbers.count == 1 ? .one(numbers[0]) : .few(numbers)
            return true
        case .many(var numbers):
            self = .none
            let isRemoved = numbers.remove(number) != nil
            self = numbers.isEmpty ? .none : .many(numbers)
            return isRemoved
        }
    }

    private static func place(of number: EntityNumber, in numbers: [EntityNumber]) -> Int {
        // Numbers are given ascending, so most entities come last.
        guard let last = numbers.last, last >= number else { return numbers.count }
        var bounds = 0..<numbers.count
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            bounds = numbers[middle] < number ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return bounds.lowerBound
    }
}
