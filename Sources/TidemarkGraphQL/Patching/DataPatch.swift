import Tidemark
import TidemarkModel
import TidemarkStore

/// The state of a document that an observer saw: `data`, and its lists of entities.
package struct GraphQLSnapshot: Hashable, Sendable {
    /// `data` as JSON.
    package var data: [UInt8]
    /// The lists of entities in `data`, ordered by their offsets.
    package var lists: [EntityList]

    /// Creates a state.
    package init(data: [UInt8], lists: [EntityList] = []) {
        self.data = data
        self.lists = lists
    }

    /// Creates the state that a read found.
    package init(_ reading: GraphQLReading) { self.init(data: reading.data, lists: reading.lists) }
}

/// Computes the operations that turn one state of `data` into the next.
///
/// A change is reported as deep as possible: for objects member by member. Elements of lists of entities are added,
/// removed and moved as a whole, and inside an element that stays only its changes are reported.
///
/// - Source: RFC 6902; Protocol/graphql.md, observing.
package struct DataPatch {
    private let before: JSONOutline
    private let after: JSONOutline
    private let listsBefore: [EntityList]
    private let listsAfter: [EntityList]
    private var path: ResponsePath = []
    private var operations: [PatchOperation] = []

    /// Returns the operations that turn one state into another.
    ///
    /// - Returns: Operations to be applied in order; empty for equal data.
    /// - Complexity: O(n) for n bytes of both states, then that of ``/TidemarkStore/ListDifference`` for lists that
    ///   differ.
    package static func operations(from old: GraphQLSnapshot, to new: GraphQLSnapshot) -> [PatchOperation] {
        if old.data == new.data { return [] }
        guard let before = JSONOutline(text: old.data), let after = JSONOutline(text: new.data) else {
            // Unreachable: both states were assembled from valid JSON.
            preconditionFailure("data of \(old.data.count) and \(new.data.count) bytes is no JSON")
        }
        var patch = DataPatch(before: before, after: after, listsBefore: old.lists, listsAfter: new.lists)
        patch.compare(0, 0)
        return patch.operations
    }

    private init(before: JSONOutline, after: JSONOutline, listsBefore: [EntityList], listsAfter: [EntityList]) {
        self.before = before
        self.after = after
        self.listsBefore = listsBefore
        self.listsAfter = listsAfter
    }

    private mutating func compare(_ old: Int, _ new: Int) {
        if areEqual(old, new) { return }
        switch (before.kind(old), after.kind(new)) {
        case (.object, .object): compareObjects(old, new)
        case (.array, .array): compareLists(old, new)
        default: operations.append(PatchOperation(.replace(value(new)), at: path))
        }
    }

    // MARK: Objects

    private mutating func compareObjects(_ old: Int, _ new: Int) {
        forEachMember(of: old, in: before) { patch, name, _ in
            guard patch.after.value(named: name, in: new) == nil else { return }
            patch.operations.append(PatchOperation(.remove, at: patch.path + [.name(name)]))
        }
        forEachMember(of: new, in: after) { patch, name, value in
            patch.path.append(.name(name))
            if let other = patch.before.value(named: name, in: old) {
                patch.compare(other, value)
            } else {
                patch.operations.append(PatchOperation(.add(patch.value(value)), at: patch.path))
            }
            patch.path.removeLast()
        }
    }

    private mutating func forEachMember(
        of object: Int, in outline: JSONOutline, _ body: (inout DataPatch, ByteString, Int) -> Void
    ) {
        var at = object + 1
        while at < Int(outline[object].next) {
            if !outline[at].isSuperseded { body(&self, ByteString(outline.unescapedName(at)), at + 1) }
            at = Int(outline[at + 1].next)
        }
    }

    // MARK: Lists

    private mutating func compareLists(_ old: Int, _ new: Int) {
        let oldElements = elements(of: old, in: before)
        let newElements = elements(of: new, in: after)
        let oldKeys = listsBefore.list(at: Int(before[old].start))?.keys
        let newKeys = listsAfter.list(at: Int(after[new].start))?.keys
        guard oldKeys != nil || newKeys != nil else { return compareValues(oldElements, newElements) }
        var names = ElementNames<GraphQLKey?>()
        let from = names.handles(of: oldKeys ?? oldElements.map { _ in nil })
        let to = names.handles(of: newKeys ?? newElements.map { _ in nil })
        arrange(from, to, newElements)
        let places = Dictionary(uniqueKeysWithValues: zip(from, oldElements))
        for (index, handle) in to.enumerated() {
            guard let place = places[handle] else { continue }
            path.append(.index(index))
            compare(place, newElements[index])
            path.removeLast()
        }
    }

    /// Compares lists whose elements have no key: by index if that takes fewer operations, else by value.
    private mutating func compareValues(_ old: [Int], _ new: [Int]) {
        var names = ElementNames<[UInt8]>()
        let from = names.handles(of: old.map { bytes(of: $0, in: before) })
        let to = names.handles(of: new.map { bytes(of: $0, in: after) })
        let changedCount = zip(from, to).count { $0 != $1 }
        let byValue = ListDifference.operations(from: from, to: to) { _ in false }
        guard changedCount + abs(old.count - new.count) <= byValue.count else { return arrange(from, to, new) }
        for index in stride(from: old.count - 1, to: new.count - 1, by: -1) {
            operations.append(PatchOperation(.remove, at: path + [.index(index)]))
        }
        for index in 0..<min(old.count, new.count) {
            path.append(.index(index))
            compare(old[index], new[index])
            path.removeLast()
        }
        for index in min(old.count, new.count)..<new.count {
            operations.append(PatchOperation(.add(value(new[index])), at: path + [.index(index)]))
        }
    }

    private mutating func arrange(_ from: [ListHandle], _ to: [ListHandle], _ newElements: [Int]) {
        let places = Dictionary(uniqueKeysWithValues: zip(to, newElements))
        for operation in ListDifference.operations(from: from, to: to, isReplaced: { _ in false }) {
            switch operation {
            case .add(let handle, let index):
                operations.append(
                    PatchOperation(.add(places[handle].map { value($0) } ?? []), at: path + [.index(index)]))
            case .remove(let index): operations.append(PatchOperation(.remove, at: path + [.index(index)]))
            case .replace: break
            case .move(let origin, let index):
                operations.append(
                    PatchOperation(.move(from: path + [.index(origin)]), at: path + [.index(index)]))
            }
        }
    }

    private func elements(of list: Int, in outline: JSONOutline) -> [Int] {
        var elements: [Int] = []
        var at = list + 1
        while at < Int(outline[list].next) {
            elements.append(at)
            at = Int(outline[at].next)
        }
        return elements
    }

    // MARK: Values

    private func areEqual(_ old: Int, _ new: Int) -> Bool {
        let left = before[old]
        let right = after[new]
        guard left.kind == right.kind, left.end - left.start == right.end - right.start else { return false }
        return before.bytes.withUnsafeBytes { leftBytes in
            after.bytes.withUnsafeBytes { rightBytes in
                JSONText.haveEqualBytes(
                    UnsafeRawBufferPointer(rebasing: leftBytes[Int(left.start)..<Int(left.end)]),
                    UnsafeRawBufferPointer(rebasing: rightBytes[Int(right.start)..<Int(right.end)]))
            }
        }
    }

    private func value(_ entry: Int) -> [UInt8] { bytes(of: entry, in: after) }

    private func bytes(of entry: Int, in outline: JSONOutline) -> [UInt8] {
        let item = outline[entry]
        let quote = item.kind == .string ? 1 : 0
        return Array(outline.bytes[Int(item.start) - quote..<Int(item.end) + quote])
    }
}

/// Assigns numbers to the elements of two lists. Equal elements get the same number, and each repetition one of its
/// own.
private struct ElementNames<Element: Hashable> {
    private struct Occurrence: Hashable {
        var element: Element
        var time: Int
    }

    private var handles: [Occurrence: ListHandle] = [:]

    mutating func handles(of elements: [Element]) -> [ListHandle] {
        var times: [Element: Int] = [:]
        return elements.map { element in
            let occurrence = Occurrence(element: element, time: times[element, default: 0])
            times[element, default: 0] += 1
            if let known = handles[occurrence] { return known }
            let handle = ListHandle(handles.count)
            handles[occurrence] = handle
            return handle
        }
    }
}
