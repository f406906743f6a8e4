/// Why a statement of SQL is no rule of a view.
package struct ViewSQLError: Error, Hashable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The column in characters, from 1.
    package var column: Int
    /// What is wrong and what to write instead.
    package var what: String
    /// For an unknown word, the known one that resembles it most; nil if there is none.
    package var nearest: String?

    /// The error in one line.
    package var message: String {
        "line \(line), column \(column): \(what)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }
}
