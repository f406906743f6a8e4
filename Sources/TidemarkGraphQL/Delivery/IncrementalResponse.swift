import Tidemark
import TidemarkModel

/// A response that is assembled from its parts.
///
/// A pure value, to which payloads are applied. Objects are merged deeply, and lists of equal length by index. An item
/// is merged into an object. If its path leads to none, the item is left out with a sentence in the errors, and the
/// rest continues.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package struct IncrementalResponse: Sendable {
    /// The change that one payload made.
    package struct Change: Sendable {
        /// The places in `data` that the payload brought.
        package var mask = PayloadMask.nothing
        /// The errors of this payload, and those of items that were left out.
        package var errors: [JSONValue] = []
        /// True if the payload changed nothing.
        package var isHeartbeat = true
    }

    private var parser: any DeliveryParser
    /// The `data` of all payloads so far.
    package private(set) var data = JSONValue.null
    /// True if a payload has had `data`, null or not.
    package private(set) var hasData = false
    /// True if the server has sent errors. The sentence about an item that was left out does not count.
    package private(set) var hasErrors = false
    /// The errors of all payloads so far, and those of items that were left out.
    package private(set) var errors: [JSONValue] = []
    /// The members of `extensions` so far.
    package private(set) var extensions: [JSONMember] = []
    /// True if more parts follow.
    package private(set) var hasNext = true
    /// The fragments that the server could not deliver.
    package private(set) var failed: Set<DeferredFragment> = []

    /// The largest number of errors, and of failed fragments, of one response. Later ones are dropped.
    private static let noteCountMax = 10_000
    /// How many containers of `data` may be open at once. With the enclosing object, this is the limit of a response in
    /// one piece.
    private static let nestingDepthMax = Limits.nestingDepthCeiling - 1

    /// Creates a response without any parts.
    package init(_ parser: any DeliveryParser) { self.parser = parser }

    /// Creates a response without any parts.
    ///
    /// - Precondition: The format is one of responses, not of subscriptions.
    package init(_ format: DeliveryFormat) {
        guard case .answer(let make) = format.kind else {
            preconditionFailure("\(format.mediaType) is a form of subscriptions, not of answers")
        }
        self.init(make())
    }

    /// The response so far as one object, in the form of a response in one piece.
    package var answer: JSONValue {
        var members = [JSONMember("data", data)]
        if !errors.isEmpty { members.append(JSONMember("errors", .array(errors))) }
        if !extensions.isEmpty { members.append(JSONMember("extensions", .object(extensions))) }
        members.append(JSONMember("hasNext", .bool(hasNext)))
        return .object(members)
    }

    /// Applies a payload.
    ///
    /// - Throws: ``DeliveryError`` if the payload does not have the format of the parser, or nests too deeply.
    /// - Complexity: O(payload + the members and elements along its paths).
    @discardableResult
    package mutating func apply(_ payload: JSONValue) throws(DeliveryError) -> Change {
        var change = Change()
        if let members = payload.members, members.isEmpty { return change }
        let step = try parser.read(payload)
        hasNext = step.hasNext
        if payload["errors"]?.elements?.isEmpty == false { hasErrors = true }
        change.errors = step.errors
        if let own = step.data { try begin(own, &change) }
        for item in step.items {
            try IncrementalResponse.checkDepth(item.data, at: item.path.count)
            // A program's own format may deliver the first data as an item at the root.
            if !hasData, item.path.isEmpty {
                try begin(item.data, &change)
                continue
            }
            do throws(ItemError) {
                change.mask.formUnion(try IncrementalResponse.merge(item.data, into: &data, at: item.path[...]))
            } catch {
                change.errors.append(IncrementalResponse.diagnosis(error.rawValue, path: item.path))
            }
        }
        errors += change.errors.prefix(max(0, IncrementalResponse.noteCountMax - errors.count))
        for member in step.extensions {
            extensions.removeAll { $0.name == member.name }
            extensions.append(member)
        }
        for fragment in step.failed where failed.count < IncrementalResponse.noteCountMax { failed.insert(fragment) }
        if !step.items.isEmpty || !change.errors.isEmpty || !step.failed.isEmpty || !hasNext {
            change.isHeartbeat = false
        }
        return change
    }

    static func diagnosis(_ message: String, path: [JSONValue]) -> JSONValue {
        .object([JSONMember("message", .string(message)), JSONMember("path", .array(path))])
    }

    /// Applies a payload's own `data`: the first one is taken, later ones are merged.
    ///
    /// Some servers write every member, so `data` is null in a payload that has only items.
    private mutating func begin(_ own: JSONValue, _ change: inout Change) throws(DeliveryError) {
        try IncrementalResponse.checkDepth(own, at: 0)
        guard !hasData || !own.isNull else { return }
        hasData = true
        change.isHeartbeat = false
        change.mask.formUnion(IncrementalResponse.merge(own, into: &data))
    }

    private static func checkDepth(_ value: JSONValue, at level: Int) throws(DeliveryError) {
        guard level + value.nestingDepth <= nestingDepthMax else {
            throw DeliveryError("the answer nests deeper than \(nestingDepthMax) levels")
        }
    }

    /// Why an item is left out, as worded in the errors of the response.
    private enum ItemError: String, Error {
        case noObjectThere = "an incremental item's path leads nowhere"
        case noFields = "an incremental item's data is no object"
    }

    /// Merges an item into the object at its path, in place.
    ///
    /// - Returns: The places that changed.
    /// - Throws: ``ItemError``, after changing nothing.
    private static func merge(
        _ other: JSONValue, into value: inout JSONValue, at path: ArraySlice<JSONValue>
    ) throws(ItemError) -> PayloadMask {
        guard let first = path.first else {
            guard value.members != nil else { throw .noObjectThere }
            guard other.members != nil else { throw .noFields }
            return merge(other, into: &value)
        }
        switch first {
        case .string(let name):
            guard var members = value.takeMembers() else { throw .noObjectThere }
            defer { value = .object(members) }
            guard let index = members.lastIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw .noObjectThere
            }
            return .parts([.name(ByteString(name)): try merge(other, into: &members[index].value, at: path.dropFirst())]
            )
        case .number(let number):
            guard var elements = value.takeElements() else { throw .noObjectThere }
            defer { value = .array(elements) }
            guard let index = number.int, elements.indices.contains(index) else { throw .noObjectThere }
            return .parts([.index(index): try merge(other, into: &elements[index], at: path.dropFirst())])
        case .null, .bool, .array, .object: throw .noObjectThere
        }
    }

    /// Merges a value into another one deeply and in place. If their kinds differ, the new value replaces the old one.
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
    /// How many containers are open at once in the value, at most.
    ///
    /// - Complexity: O(values).
    fileprivate var nestingDepth: Int {
        switch self {
        case .null, .bool, .number, .string: 0
        case .array(let elements): elements.reduce(0) { max($0, $1.nestingDepth) } + 1
        case .object(let members): members.reduce(0) { max($0, $1.value.nestingDepth) } + 1
        }
    }

    /// Takes the members out of an object, so that the caller holds the only reference and can change them without a
    /// copy.
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
