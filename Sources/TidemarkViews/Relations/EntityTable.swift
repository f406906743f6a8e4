import TidemarkModel

/// The number of an entity that is in some relation: what rows and indexes hold in place of a key.
typealias EntityNumber = UInt32

/// Gives numbers to entities.
///
/// A number stays as long as a relation holds the entity. It is reused only after the change during which it became
/// free, so that within a change a number is one entity.
struct EntityTable: Sendable {
    /// The number of no entity: the alias of a left join without a match.
    static let none: EntityNumber = 0
    /// The number of the entity whose other version is being examined.
    static let phantom = EntityNumber.max
    /// The first number of the entities that only an explanation examines.
    static let firstExtra = EntityNumber.max - (1 << 20)

    private var numbers = EntityHashTable()
    /// The keys by number; the first is never used.
    private var keys = [ViewKey(type: "", id: "")]
    /// In how many relations each entity is.
    private var holders: [UInt32] = [0]
    private var free: [EntityNumber] = []
    private var freeAfterChange: [EntityNumber] = []

    /// The number of an entity; nil if no relation holds it.
    func number(of key: ViewKey) -> EntityNumber? { numbers.number(of: key, keys) }

    func key(of number: EntityNumber) -> ViewKey { keys[Int(number)] }

    /// The number of entities.
    var count: Int { numbers.count }

    /// Notes that a relation holds an entity.
    mutating func retain(_ key: ViewKey) -> EntityNumber {
        if let number = numbers.number(of: key, keys) {
            holders[Int(number)] += 1
            return number
        }
        if let number = free.popLast() {
            keys[Int(number)] = key
            holders[Int(number)] = 1
            numbers.insert(number, keys)
            return number
        }
        keys.append(key)
        holders.append(1)
        let number = EntityNumber(keys.count - 1)
        numbers.insert(number, keys)
        return number
    }

    /// Notes that a relation no longer holds an entity.
    mutating func release(_ number: EntityNumber) {
        holders[Int(number)] -= 1
        guard holders[Int(number)] == 0 else { return }
        numbers.remove(number, keys)
        freeAfterChange.append(number)
    }

    /// Ends a change: numbers that became free may be given to other entities.
    mutating func endChange() {
        free += freeAfterChange
        freeAfterChange.removeAll()
    }

    /// An estimate of the bytes that the table takes.
    var byteCount: Int { keys.count * 104 + numbers.byteCount }
}
