/// One row that entered, left or moved in a result.
struct RowStep: Sendable {
    let number: RowNumber
    /// The row's index before the change; nil for a row that entered.
    let from: Int?
    /// The row's index after the change; nil for a row that left.
    let to: Int?
}
