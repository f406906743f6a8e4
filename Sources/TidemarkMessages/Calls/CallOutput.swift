/// Writes the cache's calls to its host.
package protocol CallOutput: AnswerTarget {
    /// Takes a call; never waits.
    ///
    /// - Parameters:
    ///   - line: The line, with its LF.
    ///   - number: The number with which ``withdraw(call:)`` finds the line.
    func append(call line: [UInt8], number: Int64)
    /// Drops a call that has ended and is not written yet.
    func withdraw(call number: Int64)
}
