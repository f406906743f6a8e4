import Tidemark

extension JSONValue {
    /// Returns a member; nil if it is absent or null, because servers write absent members as null, too.
    fileprivate func member(_ name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }
}

/// Members that payloads of all formats have.
extension DeliveryStep {
    /// The members of a payload, of which it has at least one.
    private static let memberNames: Set = [
        "data", "errors", "extensions", "hasNext", "incremental", "pending", "completed", "path",
    ]

    /// Creates a step with the `hasNext` of a payload. A payload without it is the last one.
    init(of payload: JSONValue) throws(DeliveryError) {
        guard let members = payload.members else { throw DeliveryError("a part of the answer is no object") }
        guard members.contains(where: { DeliveryStep.memberNames.contains($0.name) }) else {
            throw DeliveryError("a part of the answer has no member that GraphQL knows")
        }
        guard let next = payload.member("hasNext") else {
            hasNext = false
            return
        }
        guard let flag = next.bool else { throw DeliveryError("hasNext is neither true nor false") }
        hasNext = flag
    }

    /// Reads `data`, `errors` and `extensions` of a payload.
    mutating func read(answer payload: JSONValue) throws(DeliveryError) {
        data = payload["data"]
        try read(notes: payload)
    }

    /// Reads `errors` and `extensions`.
    mutating func read(notes payload: JSONValue) throws(DeliveryError) {
        if let list = payload.member("errors") {
            guard let list = list.elements else { throw DeliveryError("errors is no list") }
            errors += list
        }
        extensions += payload["extensions"]?.members ?? []
    }

    /// Adds the data of a fragment; null means that the fragment failed.
    mutating func add(_ data: JSONValue?, at path: [JSONValue], of fragment: DeferredFragment) {
        guard let data else { return }
        if data.isNull { failed.append(fragment) } else { items.append(Item(path: path, data: data)) }
    }

    /// Returns the steps of a path; empty if it is absent.
    ///
    /// - Returns: nil if the value is not a path, which is reported in the errors.
    mutating func path(_ name: String, of item: JSONValue) -> [JSONValue]? {
        guard let value = item.member(name) else { return [] }
        if let steps = value.elements { return steps }
        errors.append(IncrementalResponse.diagnosis("an incremental item's \(name) is no list", path: []))
        return nil
    }

    /// Returns the elements of a member that is a list; empty if it is absent or null.
    static func list(_ name: String, of payload: JSONValue) throws(DeliveryError) -> [JSONValue] {
        guard let value = payload.member(name) else { return [] }
        guard let list = value.elements else { throw DeliveryError("\(name) is no list") }
        return list
    }
}

/// `deferSpec=20220824`: items with `path`, `data` and `label`.
struct PathParser: DeliveryParser {
    mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep {
        var step = try DeliveryStep(of: payload)
        // A payload that has a path is an item itself, as in the first drafts of the proposal.
        if payload.member("path") != nil {
            try PathParser.read(payload, &step)
        } else {
            try step.read(answer: payload)
        }
        for item in try DeliveryStep.list("incremental", of: payload) { try PathParser.read(item, &step) }
        return step
    }

    static func read(_ item: JSONValue, _ step: inout DeliveryStep) throws(DeliveryError) {
        guard item.members != nil else { throw DeliveryError("an incremental item is no object") }
        try step.read(notes: item)
        guard let path = step.path("path", of: item) else { return }
        step.add(item["data"], at: path, of: DeferredFragment(path: path, label: item["label"]?.string))
    }
}

/// `incrementalSpec=v0.2`: fragments are announced, referred to by `id`, and completed.
struct PendingParser: DeliveryParser {
    /// The announced fragments by id. At most ``pendingCountMax``.
    private var pending: [String: DeferredFragment] = [:]

    private static let pendingCountMax = 10_000

    mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep {
        var step = try DeliveryStep(of: payload)
        for one in try DeliveryStep.list("pending", of: payload) {
            guard let id = one["id"]?.string else { throw DeliveryError("a pending fragment has no id") }
            guard pending.count < PendingParser.pendingCountMax else {
                throw DeliveryError("more than \(PendingParser.pendingCountMax) fragments are pending")
            }
            guard let path = step.path("path", of: one) else { continue }
            pending[id] = DeferredFragment(path: path, label: one["label"]?.string)
        }
        if payload.member("path") != nil {
            try read(payload, &step)
        } else {
            try step.read(answer: payload)
        }
        for item in try DeliveryStep.list("incremental", of: payload) { try read(item, &step) }
        for one in try DeliveryStep.list("completed", of: payload) {
            guard let id = one["id"]?.string, let fragment = pending.removeValue(forKey: id) else { continue }
            // An empty list of errors counts as none.
            guard try !DeliveryStep.list("errors", of: one).isEmpty else { continue }
            step.failed.append(fragment)
            try step.read(notes: one)
        }
        return step
    }

    private func read(_ item: JSONValue, _ step: inout DeliveryStep) throws(DeliveryError) {
        guard let id = item.member("id") else { return try PathParser.read(item, &step) }
        try step.read(notes: item)
        guard let text = id.string, let fragment = pending[text] else {
            step.errors.append(
                IncrementalResponse.diagnosis(
                    "an incremental item names the fragment \(id.text), which is not pending", path: []))
            return
        }
        guard let subPath = step.path("subPath", of: item) else { return }
        step.add(item["data"], at: fragment.path + subPath, of: fragment)
    }
}
