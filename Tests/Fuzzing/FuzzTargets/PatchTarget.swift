import Tidemark
import TidemarkReferenceModel
import TidemarkStore

/// Patches of lists: the bytes choose how a list changes from one answer to the next.
///
/// A reader that applies every patch, by RFC 6902 or with ``Tidemark/ListChange``, has the list, and no patch moves
/// more elements than necessary.
enum PatchTarget {
    static let target = FuzzTarget("patch", byteCountMax: 512, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        var choices = ByteChoices(bytes)
        var list = ObservedList()
        var seen = ReferenceJSON.array([])
        var model: [[UInt8]] = []
        var lists: [[ListHandle]] = [[]]
        while !choices.isAtEnd {
            let before = list.handles
            var replaced: Set<ListHandle> = []
            for _ in 0...choices.below(8) { list.change(&choices, &replaced, lists) }
            try requireEqual(Set(list.handles).count, list.handles.count, "different elements of \(list.handles)")
            let operations = ListDifference.operations(
                from: before, to: list.handles, isReplaced: replaced.contains)
            let written = operations.map { $0.map(list.element) }
            var patch: [UInt8] = []
            JSONPatch.append(written, to: &patch)
            seen = try ReferencePatch.apply(ReferenceJSONParser.parse(patch), to: seen)
            for operation in written { ListChange(operation).apply(to: &model) }
            let wanted = list.handles.map(list.element)
            try requireEqual(seen.description, "[\(wanted.map(\.text).joined(separator: ","))]", "\(patch.text)")
            try requireEqual(model.map(\.text), wanted.map(\.text), "\(operations)")
            try requireFewest(operations, before, list.handles, replaced)
            lists.append(list.handles)
        }
    }

    /// Checks that a patch removes missing elements, adds new ones, replaces changed ones, and moves all but a longest
    /// run that can stay.
    private static func requireFewest(
        _ operations: [ListOperation<ListHandle>], _ before: [ListHandle], _ after: [ListHandle],
        _ replaced: Set<ListHandle>
    ) throws {
        let kept = Set(before).intersection(after)
        var counts = [0, 0, 0, 0]
        for operation in operations {
            switch operation {
            case .add: counts[0] += 1
            case .remove: counts[1] += 1
            case .replace: counts[2] += 1
            case .move: counts[3] += 1
            }
        }
        let moveCount = kept.count - longestRunCount(before.filter(kept.contains), after)
        try requireEqual(
            counts,
            [after.count - kept.count, before.count - kept.count, kept.intersection(replaced).count, moveCount],
            "adds, removes, replaces and moves from \(before) to \(after)")
    }

    /// Returns the length of a longest run of `kept` in the order of `after`: for each element, one more than the best
    /// of those before it.
    private static func longestRunCount(_ kept: [ListHandle], _ after: [ListHandle]) -> Int {
        let ranks = kept.map { after.firstIndex(of: $0) ?? -1 }
        var best: [Int] = []
        for (index, rank) in ranks.enumerated() {
            best.append(1 + (zip(ranks, best).prefix(index).filter { $0.0 < rank }.map(\.1).max() ?? 0))
        }
        return best.max() ?? 0
    }
}

/// A list that changes by the choices of bytes.
private struct ObservedList {
    private(set) var handles: [ListHandle] = []
    private var versions: [ListHandle: Int] = [:]
    private var lastNumber = 0

    mutating func change(_ choices: inout ByteChoices, _ replaced: inout Set<ListHandle>, _ lists: [[ListHandle]]) {
        switch choices.below(8) {
        case 0, 1:
            guard handles.count < 40 else { return }
            lastNumber += 1
            handles.insert(ListHandle(lastNumber), at: choices.below(handles.count + 1))
        case 2:
            guard !handles.isEmpty else { return }
            handles.remove(at: choices.below(handles.count))
        case 3, 4:
            guard !handles.isEmpty else { return }
            let handle = handles.remove(at: choices.below(handles.count))
            handles.insert(handle, at: choices.below(handles.count + 1))
        case 5:
            guard !handles.isEmpty else { return }
            let handle = choices.pick(handles)
            replaced.insert(handle)
            versions[handle, default: 0] += 1
        case 6:
            let first = choices.below(handles.count + 1)
            let end = first + choices.below(handles.count - first + 1)
            handles = Array(handles[..<first] + handles[first..<end].reversed() + handles[end...])
        default: handles = choices.pick(lists)
        }
    }

    func element(_ handle: ListHandle) -> [UInt8] {
        Array(#"{"id":\#(handle),"v":\#(versions[handle, default: 0])}"#.utf8)
    }
}
