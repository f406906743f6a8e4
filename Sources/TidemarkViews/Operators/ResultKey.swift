import TidemarkModel

/// What tells the rows of a result apart.
enum ResultKey: Hashable, Sendable {
    /// The entities of a row.
    case row(RowTuple)
    /// The codes of a group's values.
    case group([UInt8])

    static func == (left: ResultKey, right: ResultKey) -> Bool {
        switch (left, right) {
        case (.row(let first), .row(let second)): first == second
        case (.group(let first), .group(let second)): ByteOrder.equal(first, second)
        case (.row, _), (.group, _): false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .row(let row): hasher.combine(row)
        case .group(let codes): codes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}

/// The number of a row in one result. It stays while the row does, and is reused only after the change in which the row
/// left.
typealias RowNumber = UInt32
