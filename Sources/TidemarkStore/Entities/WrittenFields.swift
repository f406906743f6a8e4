import TidemarkModel

/// The fields that one write set, as paths: names joined by ``FieldStamps/separator``.
///
/// A write that names top-level fields sets each as a whole. A GraphQL response merges embedded objects: such an object
/// counts as written, but those of its members that the response lacks do not. Only this type decides which dates a
/// write changes, so no kind of write can forget the object around a member, or the members beside it.
///
/// - Source: Protocol/policy.md, when fields are too old; Protocol/graphql.md, storing.
package struct WrittenFields: Hashable, Sendable {
    /// The paths whose values were written as wholes.
    package private(set) var wholes: [ByteString]
    /// The paths of embedded objects that were merged: written, but not with all of their members.
    private(set) var merged: [ByteString] = []
    /// The paths of merged objects' members that the write did not change.
    private(set) var kept: [ByteString] = []

    /// Creates a write of top-level fields as wholes.
    ///
    /// - Parameter names: The unescaped names of the fields.
    package init(_ names: [ByteString]) { wholes = names }

    /// Adds a value that was written as a whole.
    mutating func noteWhole(_ path: ByteString) { wholes.append(path) }

    /// Adds an embedded object that was merged.
    mutating func noteMerged(_ path: ByteString) { merged.append(path) }

    /// Adds a member of a merged object that did not change.
    mutating func noteKept(_ path: ByteString) { kept.append(path) }

    /// Adds the fields of a later write in the same unit. Both writes have one date.
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

    /// Dates what was written, and keeps the dates of everything else.
    ///
    /// A member has the date of the nearest object around it that has one. So a merged object gets the new date, what
    /// was written inside it loses its own date, and each member that did not change gets the date that it had so far.
    ///
    /// - Parameters:
    ///   - dates: The dates of single fields by path.
    ///   - rest: The date of every field that no entry of `dates` covers.
    ///   - date: The date of the write.
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

    /// Sets the date of a path. Inside an object it needs none of its own: it has that of the object written with it.
    private func set<Date>(_ date: Date, of path: ByteString, in dates: inout [ByteString: Date]) {
        dates[path] = path.bytes.contains(FieldStamps.separator) ? nil : date
    }

    // MARK: Paths

    /// Returns the value of a path, or else of the nearest path around it; nil if none has a value.
    static func nearest<Value>(to path: ByteString, where value: (ByteString) -> Value?) -> Value? {
        value(path) ?? nearest(around: path, where: value)
    }

    /// Returns the value of the nearest path around a path, without the path itself; nil if none has a value.
    static func nearest<Value>(around path: ByteString, where value: (ByteString) -> Value?) -> Value? {
        var outer = path.bytes[...]
        while let end = outer.lastIndex(of: FieldStamps.separator) {
            outer = outer[..<end]
            if let found = value(ByteString(outer)) { return found }
        }
        return nil
    }
}
