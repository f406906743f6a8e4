/// The entities with one join key. Many keys are those of one entity, which takes no set of its own.
enum EntityBucket: Sendable {
    case none
    case one(EntityNumber)
    case many(Set<EntityNumber>)

    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let numbers): numbers.count
        }
    }

    /// Calls `body` for each entity, in no order.
    func forEach(_ body: (EntityNumber) -> Void) {
        switch self {
        case .none: break
        case .one(let number): body(number)
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
            self = .many([other, number])
            return true
        case .many(var numbers):
            // Out of the bucket while it changes, so that it is not copied.
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
        case .many(var numbers):
            self = .none
            let isRemoved = numbers.remove(number) != nil
            self = numbers.isEmpty ? .none : .many(numbers)
            return isRemoved
        }
    }
}
