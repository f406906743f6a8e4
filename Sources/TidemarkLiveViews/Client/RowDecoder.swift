import Tidemark
import TidemarkJSON

/// Decodes rows of a view from their JSON, with the conventions of the resource if the row type is one.
struct RowDecoder<Row> {
    private let conventions: ResourceConventions

    init() {
        conventions = (Row.self as? any Resource.Type)?.conventions ?? ResourceConventions()
    }

    /// Decodes a row.
    ///
    /// - Parameter index: Its place in the window, for the error.
    /// - Throws: ``ViewRowError``.
    func row(_ bytes: [UInt8], at index: Int) throws(ViewRowError) -> Row where Row: Decodable {
        do {
            return try ResourceCoder().value(Row.self, bytes, conventions)
        } catch {
            let (path, reason) = ResourceCoder.place(of: error)
            let row = JSONSource(bytes).value
            let isSnakeCase = conventions.names == .snakeCase
            let field = JSONPointer(path, in: row, converting: { isSnakeCase ? SnakeCase.name($0) : $0 })
            throw ViewRowError(index: index, field: field, value: row[pointer: field], reason: reason)
        }
    }
}
