import Tidemark

/// An answer that is put together from its parts.
///
/// A pure value: a payload goes in, and the answer so far comes out. Objects are merged deeply, lists of one length by
/// index. An item whose path leads nowhere is left out, with a sentence in the errors, and the rest goes on.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package struct IncrementalAnswer: Sendable {
    /// A deferred fragment at one place.
    package struct Fragment: Hashable, Sendable {
        package var path: [JSONValue]
        package var label: String?
    }

    /// An error of a payload that is no part of an answer.
    package struct Fault: Error, Hashable, Sendable {
        package var message: String
    }

    private let spec: DeliverySpec
    /// `data` of all payloads so far.
    package private(set) var data = JSONValue.null
    package private(set) var errors: [JSONValue] = []
    package private(set) var extensions: [JSONMember] = []
    /// Whether more parts follow.
    package private(set) var hasNext = true
    /// The fragments whose data will not come.
    package private(set) var failed: Set<Fragment> = []
    /// The fragments that were announced, by id. At most ``pendingCountMax``.
    private var pending: [String: Fragment] = [:]

    private static let pendingCountMax = 10_000
    /// The errors of one answer: later ones are left out.
    private static let errorCountMax = 10_000

    package init(_ spec: DeliverySpec) { self.spec = spec }

    /// The answer as one object, in the form of an answer that came whole.
    package var answer: JSONValue {
        var members = [JSONMember("data", data)]
        if !errors.isEmpty { members.append(JSONMember("errors", .array(errors))) }
        if !extensions.isEmpty { members.append(JSONMember("extensions", .object(extensions))) }
        members.append(JSONMember("hasNext", .bool(hasNext)))
        return .object(members)
    }

    /// Takes a payload.
    ///
    /// - Returns: false when it changed nothing: a heartbeat.
    /// - Throws: ``Fault`` when it is no object, or has a member of another kind.
    package mutating func apply(_ payload: JSONValue) throws(Fault) -> Bool {
        guard let members = payload.members else { throw Fault(message: "a part of the answer is no object") }
        guard !members.isEmpty else { return false }
        if let next = payload["hasNext"] {
            guard let flag = next.bool else { throw Fault(message: "hasNext is neither true nor false") }
            hasNext = flag
        } else {
            // A payload without it is the only one.
            hasNext = false
        }
        var isChange = false
        try announce(payload["pending"])
        // A payload is an item itself where it has a path, as the first drafts of the proposal had it.
        if payload["path"] != nil {
            isChange = true
            try take(item: payload)
        } else if let value = payload["data"] {
            isChange = true
            data = IncrementalAnswer.merged(data, value)
        }
        if payload["path"] == nil {
            try note(errors: payload["errors"], &isChange)
            note(extensions: payload["extensions"])
        }
        if let items = payload["incremental"], !items.isNull {
            guard let items = items.elements else { throw Fault(message: "incremental is no list") }
            for item in items {
                isChange = true
                try take(item: item)
            }
        }
        if let completed = payload["completed"], !completed.isNull {
            guard let completed = completed.elements else { throw Fault(message: "completed is no list") }
            for one in completed { try complete(one, &isChange) }
        }
        return isChange || !hasNext
    }

    private mutating func announce(_ value: JSONValue?) throws(Fault) {
        guard let value, !value.isNull else { return }
        guard let list = value.elements else { throw Fault(message: "pending is no list") }
        for one in list {
            guard let id = one["id"]?.string else { throw Fault(message: "a pending fragment has no id") }
            guard pending.count < IncrementalAnswer.pendingCountMax else {
                throw Fault(message: "more than \(IncrementalAnswer.pendingCountMax) fragments are pending")
            }
            pending[id] = Fragment(path: one["path"]?.elements ?? [], label: one["label"]?.string)
        }
    }

    private mutating func complete(_ one: JSONValue, _ isChange: inout Bool) throws(Fault) {
        guard let id = one["id"]?.string, let fragment = pending.removeValue(forKey: id) else { return }
        isChange = true
        if let errors = one["errors"], !errors.isNull {
            failed.insert(fragment)
            try note(errors: errors, &isChange)
        }
    }

    private mutating func take(item: JSONValue) throws(Fault) {
        guard item.members != nil else { throw Fault(message: "an incremental item is no object") }
        var isChange = true
        defer { note(extensions: item["extensions"]) }
        try note(errors: item["errors"], &isChange)
        let fragment: Fragment
        var path: [JSONValue]
        if spec == .incremental02, let id = item["id"] {
            guard let text = id.string, let known = pending[text] else {
                return diagnose("an incremental item names the fragment \(id.text), which is not pending", path: [])
            }
            fragment = known
            path = known.path + (item["subPath"]?.elements ?? [])
        } else {
            path = item["path"]?.elements ?? []
            fragment = Fragment(path: path, label: item["label"]?.string)
        }
        guard let value = item["data"], !value.isNull else {
            if item["data"] != nil { failed.insert(fragment) }
            return
        }
        guard let whole = IncrementalAnswer.merged(data, value, at: path[...]) else {
            return diagnose("an incremental item's path leads nowhere", path: path)
        }
        data = whole
    }

    private mutating func note(errors value: JSONValue?, _ isChange: inout Bool) throws(Fault) {
        guard let value, !value.isNull else { return }
        guard let list = value.elements else { throw Fault(message: "errors is no list") }
        isChange = isChange || !list.isEmpty
        errors += list.prefix(max(0, IncrementalAnswer.errorCountMax - errors.count))
    }

    private mutating func note(extensions value: JSONValue?) {
        for member in value?.members ?? [] {
            extensions.removeAll { $0.name == member.name }
            extensions.append(member)
        }
    }

    private mutating func diagnose(_ message: String, path: [JSONValue]) {
        guard errors.count < IncrementalAnswer.errorCountMax else { return }
        errors.append(.object([JSONMember("message", .string(message)), JSONMember("path", .array(path))]))
    }

    /// Returns a value with another merged in at a path; nil when the path leads nowhere.
    private static func merged(_ value: JSONValue, _ other: JSONValue, at path: ArraySlice<JSONValue>) -> JSONValue? {
        guard let first = path.first else { return merged(value, other) }
        switch (value, first) {
        case (.object(var members), .string(let name)):
            guard let index = members.lastIndex(where: { $0.name == name }),
                let inner = merged(members[index].value, other, at: path.dropFirst())
            else { return nil }
            members[index].value = inner
            return .object(members)
        case (.array(var elements), .number(let number)):
            guard let index = number.int, elements.indices.contains(index),
                let inner = merged(elements[index], other, at: path.dropFirst())
            else { return nil }
            elements[index] = inner
            return .array(elements)
        default: return nil
        }
    }

    /// Merges two values deeply; where they are of different kinds, the second one counts.
    private static func merged(_ value: JSONValue, _ other: JSONValue) -> JSONValue {
        switch (value, other) {
        case (.object(var members), .object(let others)):
            for member in others {
                if let index = members.lastIndex(where: { $0.name == member.name }) {
                    members[index].value = merged(members[index].value, member.value)
                } else {
                    members.append(member)
                }
            }
            return .object(members)
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            return .array(zip(elements, others).map { merged($0, $1) })
        default: return other
        }
    }
}
