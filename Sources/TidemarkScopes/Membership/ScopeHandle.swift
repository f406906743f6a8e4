/// The number of a scope that somebody holds: a definition with certain parameters.
package struct ScopeHandle: Hashable, Comparable, Sendable {
    let rawValue: Int

    /// Orders scopes by the time at which they were opened.
    package static func < (left: ScopeHandle, right: ScopeHandle) -> Bool { left.rawValue < right.rawValue }
}
