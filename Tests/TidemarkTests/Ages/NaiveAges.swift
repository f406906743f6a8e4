/// Reads of one type under ages, in a naive form: every entity is a dictionary of fields with their times.
///
/// Shares no code with the cache. Fields are scalars; values are numbers.
struct NaiveAges {
    struct Cell: Equatable {
        var value: Int
        /// The time of the write in milliseconds.
        var writtenAt: Int
    }

    struct Layer {
        var id: String
        var entity: String
        var changes: [String: Cell]
    }

    enum Outcome: Equatable {
        case found([String: Int], isStale: Bool)
        case absent
        /// The fields that are past their age for the longest time; a read may name any of them.
        case expired([String], writtenAt: Int, maxAge: Int)
    }

    /// The age of the type in seconds; nil for none.
    var typeAge: Int?
    var fieldAges: [String: Int]
    var base: [String: [String: Cell]] = [:]
    /// The layers, oldest first.
    var layers: [Layer] = []

    func limit(_ field: String, operationType: Int?, operationFields: [String: Int]) -> Int? {
        if let seconds = operationFields[field] { return seconds }
        if let seconds = operationType { return seconds }
        if let seconds = fieldAges[field] { return seconds }
        return typeAge
    }

    func visible(_ entity: String) -> [String: Cell]? {
        guard var cells = base[entity] else { return nil }
        for layer in layers where layer.entity == entity {
            for (field, cell) in layer.changes { cells[field] = cell }
        }
        return cells
    }

    func read(
        _ entity: String, fields: [String]?, operationType: Int?, operationFields: [String: Int], maxStale: Int?,
        now: Int
    ) -> Outcome {
        guard let cells = visible(entity) else { return .absent }
        var worst = -1
        var culprits: [String] = []
        var found: [String: Int] = [:]
        for (field, cell) in cells where fields?.contains(field) ?? true {
            found[field] = cell.value
            guard let seconds = limit(field, operationType: operationType, operationFields: operationFields) else {
                continue
            }
            let overdue = max(now - cell.writtenAt, 0) - seconds * 1_000
            if overdue < 0 { continue }
            if overdue > worst { culprits = [] }
            if overdue >= worst { culprits.append(field) }
            worst = max(worst, overdue)
        }
        if worst < 0 { return .found(found, isStale: false) }
        if let maxStale, worst <= maxStale { return .found(found, isStale: true) }
        let one = culprits[0]
        let seconds = limit(one, operationType: operationType, operationFields: operationFields) ?? 0
        return .expired(culprits.sorted(), writtenAt: cells[one]?.writtenAt ?? 0, maxAge: seconds)
    }
}
