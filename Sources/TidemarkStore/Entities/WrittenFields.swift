import TidemarkModel

/// The fields of an entity that one write set, as paths of names joined by ``FieldStamps/separator``.
///
/// A write that names top-level fields sets each as a whole. An answer of GraphQL merges embedded objects: such an
/// object was written, and those of its members that the answer did not have were not. Only this type decides which
/// dates a write changes, so that no way of writing can forget the object around a member, or the members beside it.
///
/// - Source: Protocol/policy.md, when fields are too old; Protocol/graphql.md, storing.
package struct WrittenFields: Hashable, Sendable {
    /// The values that were written as wholes.
    package private(set) var wholes: [ByteString]
    /// The embedded objects that were merged: written, though not all of their members were.
    private(set) var merged: [ByteString] = []
    /// The members of merged objects that the write left as they were.
    private(set) var kept: [ByteString] = []

    /// - Parameter names: Top-level fields that were written as wholes.
    package init(_ names: [ByteString]) { wholes = names }

    /// Notes a value that was written as a whole.
    mutating func noteWhole(_ path: ByteString) { wholes.append(path) }

    /// Notes an embedded object that was merged.
    mutating func noteMerged(_ path: ByteString) { merged.append(path) }

    /// Notes a member of a merged object that stayed as it was.
    mutating func noteKept(_ path: ByteString) { kept.append(path) }

    /// Adds the fields of a later write of the same unit: both have one date.
    ///
    /// - Complexity: O(fields · their levels).
    mutating func add(_ later: WrittenFields) {
        wholes += later.wholes
        merged += later.merged
        kept += later.kept
        guard !kept.isEmpty else { return }
        let written = Set(wholes)
        let objects = Set(merged)
        kept.removeAll { path in
            objects.contains(path)
                || WrittenFields.nearest(to: path, where: { written.contains($0) ? true : nil }) != nil
        }
    }

    /// Dates what was written, and keeps the dates of what was not.
    ///
    /// A member has the date of the nearest object around it that has one. So a merged object gets the new date, what
    /// was written inside it loses its own, and each member that was kept gets the date that it had until now.
    ///
    /// - Parameters:
    ///   - dates: The dates of single fields by path.
    ///   - rest: The date of every field that has none around it.
    /// - Complexity: O(dates + fields · their levels).
    func date<Date>(_ dates: inout [ByteString: Date], rest: Date, as date: Date) {
        let before = kept.map { path in
            (path: path, date: WrittenFields.nearest(to: path, where: { dates[$0] }) ?? rest)
        }
        if dates.keys.contains(where: { $0.bytes.contains(FieldStamps.separator) }) {
            let written = Set(wholes)
            dates = dates.filter { path, _ in
                WrittenFields.nearest(around: path, where: { written.contains($0) ? true : nil }) == nil
            }
        }
        for path in wholes { set(date, of: path, in: &dates) }
        for path in merged { set(date, of: path, in: &dates) }
        for (path, date) in before { dates[path] = date }
    }

    /// A field inside an object has the date of the object, which was written with it.
    private func set<Date>(_ date: Date, of path: ByteString, in dates: inout [ByteString: Date]) {
        dates[path] = path.bytes.contains(FieldStamps.separator) ? nil : date
    }

    // MARK: Paths

    /// Returns what a path has, or else the nearest path around it.
    static func nearest<Value>(to path: ByteString, where value: (ByteString) -> Value?) -> Value? {
        value(path) ?? nearest(around: path, where: value)
    }

    /// Returns what the nearest path around a path has, the path itself left out.
    static func nearest<Value>(around path: ByteString, where value: (ByteString) -> Value?) -> Value? {
        var outer = path.bytes[...]
        while let end = outer.lastIndex(of: FieldStamps.separator) {
            outer = outer[..<end]
            if let found = value(ByteString(outer)) { return found }
        }
        return nil
    }
}
