extension ReferenceJSON: CustomStringConvertible {
    /// The value as JSON text, for messages.
    package var description: String { String(decoding: written, as: UTF8.self) }

    /// Compares this value with `found`: objects in `found` may have more members, everything else must be equal.
    ///
    /// - Parameter exact: Names of members whose objects must not have more members.
    /// - Returns: One sentence for each difference; empty if there are none.
    package func differences(
        from found: ReferenceJSON?, at path: String = "", exact: Set<String> = ["libraries"]
    ) -> [String] {
        guard let found else { return ["\(path) is missing"] }
        guard let members else {
            return written == found.written ? [] : ["\(path): wanted \(self), found \(found)"]
        }
        var problems: [String] = []
        for member in members {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            let inner = found.members?.last { $0.key.unescaped == member.key.unescaped }?.value
            problems += member.value.differences(from: inner, at: "\(path)/\(name)", exact: exact)
            if exact.contains(name), member.value.members?.count != inner?.members?.count {
                problems.append("\(path)/\(name): found \(inner.map(\.description) ?? "nothing")")
            }
        }
        return problems
    }
}
