import TidemarkTesting

/// Whether everything in `wanted` is in `found`: objects may hold more, everything else is equal.
///
/// - Parameter exact: Names of members whose objects may not hold more.
func differences(
    _ wanted: ReferenceJSON, _ found: ReferenceJSON?, at path: String = "", exact: Set<String> = ["libraries"]
) -> [String] {
    guard let found else { return ["\(path) is missing"] }
    guard let members = wanted.members else {
        return wanted.written == found.written ? [] : ["\(path): wanted \(text(wanted)), found \(text(found))"]
    }
    var problems: [String] = []
    for member in members {
        let name = String(decoding: member.key.unescaped, as: UTF8.self)
        let inner = found.members?.last { $0.key.unescaped == member.key.unescaped }?.value
        problems += differences(member.value, inner, at: "\(path)/\(name)", exact: exact)
        if exact.contains(name), member.value.members?.count != inner?.members?.count {
            problems.append("\(path)/\(name): found \(inner.map(text) ?? "nothing")")
        }
    }
    return problems
}

/// A value as text, for messages.
func text(_ value: ReferenceJSON) -> String { String(decoding: value.written, as: UTF8.self) }
