import Tidemark
import TidemarkModel

/// An answer that is assembled from its parts.
///
/// A pure value: a payload goes in, and the answer so far comes out. Objects are merged deeply, lists of one length by
/// index. An item whose path leads nowhere is left out, with a sentence in the errors, and the rest continues.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package struct IncrementalAnswer: Sendable {
    /// The change that one payload made.
    package struct Change: Sendable {
        /// The places of `data` that it brought.
        package var mask = PayloadMask.nothing
        /// The errors of all payloads so far.
        package var errors: [JSONValue] = []
        /// Whether it changed nothing: a heartbeat.
        package var isHeartbeat = true
    }

    private var parser: any DeliveryParser
    /// `data` of all payloads so far.
    package private(set) var data = JSONValue.null
    package private(set) var errors: [JSONValue] = []
    package private(set) var extensions: [JSONMember] = []
    /// Whether more parts follow.
    package private(set) var hasNext = true
    /// The fragments whose data will not come.
    package private(set) var failed: Set<DeferredFragment> = []

    /// The errors of one answer, and the fragments that failed: later ones are left out.
    private static let noteCountMax = 10_000
    /// The containers of `data` that may be open at once: with the answer around it, as many as of an answer that came
    /// whole.
    private static let nestingDepthMax = Limits.nestingDepthCeiling - 1

    package init(_ parser: any DeliveryParser) { self.parser = parser }

    /// - Precondition: The format is one of answers.
    package init(_ format: DeliveryFormat) {
        guard case .answer(let make) = format.kind else {
            preconditionFailure("\(format.mediaType) is a form of subscriptions, not of answers")
        }
        self.init(make())
    }

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
    /// - Throws: ``DeliveryFault`` when it is no object, or has a member of another kind.
    /// - Complexity: O(payload + the members and elements along its paths).
    @discardableResult
    package mutating func apply(_ payload: JSONValue) throws(DeliveryFault) -> Change {
        var change = Change()
        if let members = payload.members, members.isEmpty { return change }
        let step = try parser.read(payload)
        hasNext = step.hasNext
        change.errors = step.errors
        for item in step.items {
            guard item.path.count + item.data.nestingDepth <= IncrementalAnswer.nestingDepthMax else {
                throw DeliveryFault("the answer nests deeper than \(IncrementalAnswer.nestingDepthMax) levels")
            }
            var mask = PayloadMask.nothing
            if IncrementalAnswer.merge(item.data, into: &data, at: item.path[...], &mask) {
                change.mask.formUnion(mask)
            } else {
                change.errors.append(
                    IncrementalAnswer.diagnosis("an incremental item's path leads nowhere", path: item.path))
            }
        }
        errors += change.errors.prefix(max(0, IncrementalAnswer.noteCountMax - errors.count))
        for member in step.extensions {
            extensions.removeAll { $0.name == member.name }
            extensions.append(member)
        }
        for fragment in step.failed where failed.count < IncrementalAnswer.noteCountMax { failed.insert(fragment) }
        change.isHeartbeat = step.items.isEmpty && change.errors.isEmpty && step.failed.isEmpty && hasNext
        return change
    }

    static func diagnosis(_ message: String, path: [JSONValue]) -> JSONValue {
        .object([JSONMember("message", .string(message)), JSONMember("path", .array(path))])
    }

    /// Merges a value into another one at a path, in place.
    ///
    /// - Returns: Whether the path leads somewhere; nothing is changed otherwise.
    private static func merge(
        _ other: JSONValue, into value: inout JSONValue, at path: ArraySlice<JSONValue>, _ mask: inout PayloadMask
    ) -> Bool {
        guard let first = path.first else {
            mask = merge(other, into: &value)
            return true
        }
        var below = PayloadMask.nothing
        switch first {
        case .string(let name):
            guard var members = value.takeMembers() else { return false }
            defer { value = .object(members) }
            guard let index = members.lastIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }),
                merge(other, into: &members[index].value, at: path.dropFirst(), &below)
            else { return false }
            mask = .parts([.name(ByteString(name)): below])
        case .number(let number):
            guard var elements = value.takeElements() else { return false }
            defer { value = .array(elements) }
            guard let index = number.int, elements.indices.contains(index),
                merge(other, into: &elements[index], at: path.dropFirst(), &below)
            else { return false }
            mask = .parts([.index(index): below])
        case .null, .bool, .array, .object: return false
        }
        return true
    }

    /// Merges a value into another one deeply, in place; where they are of different kinds, the new one counts.
    ///
    /// - Returns: The places that changed.
    private static func merge(_ other: JSONValue, into value: inout JSONValue) -> PayloadMask {
        if let others = other.members, var members = value.takeMembers() {
            var children: [ResponseStep: PayloadMask] = [:]
            var places: [ByteString: Int] = [:]
            for (place, member) in members.enumerated() { places[ByteString(member.name)] = place }
            for member in others {
                let name = ByteString(member.name)
                if let place = places[name] {
                    children[.name(name)] = merge(member.value, into: &members[place].value)
                } else {
                    places[name] = members.count
                    members.append(member)
                    children[.name(name)] = .whole
                }
            }
            value = .object(members)
            return .parts(children)
        }
        if let others = other.elements, !others.isEmpty, value.elements?.count == others.count,
            var elements = value.takeElements()
        {
            var children: [ResponseStep: PayloadMask] = [:]
            for (index, element) in others.enumerated() {
                children[.index(index)] = merge(element, into: &elements[index])
            }
            value = .array(elements)
            return .parts(children)
        }
        value = other
        return .whole
    }
}

extension JSONValue {
    /// The largest number of containers that are open at once in the value.
    ///
    /// - Complexity: O(values).
    fileprivate var nestingDepth: Int {
        switch self {
        case .null, .bool, .number, .string: 0
        case .array(let elements): elements.reduce(0) { max($0, $1.nestingDepth) } + 1
        case .object(let members): members.reduce(0) { max($0, $1.value.nestingDepth) } + 1
        }
    }

    /// Takes the members out of an object: the caller has the only reference, and can change them without a copy.
    fileprivate mutating func takeMembers() -> [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        self = .null
        return members
    }

    /// Takes the elements out of an array; see ``takeMembers()``.
    fileprivate mutating func takeElements() -> [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        self = .null
        return elements
    }
}
