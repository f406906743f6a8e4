import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// The visible entities of one library, in a dictionary.
final class WorldEntities: ListableEntities {
    var states: [ViewKey: ViewEntityState] = [:]
    /// How often views read an entity.
    var readCount = 0

    func state(of key: ViewKey) -> ViewEntityState {
        readCount += 1
        return states[key] ?? .unknown
    }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        let ids = states.compactMap { key, state in key.type == type && state.resource != nil ? key.id : nil }
        return Array(ids.filter { candidate in id.map { $0 < candidate } ?? true }.sorted().prefix(countMax))
    }
}

/// Entities with views over them, whose observers fold their patches; everything can be compared with the naive model.
struct ViewWorld {
    struct Observer {
        let rule: ReferenceJSON
        let parameters: [String: ReferenceJSON]
        let hasTotal: Bool
        let window: ViewWindowID
        var offset: Int?
        var limit: Int?
        var rows: ReferenceJSON
        var total: Int
        var missing: Int
    }

    let entities = WorldEntities()
    var views: ViewSet
    var observers: [ViewWindowID: Observer] = [:]
    /// The operations of all patches so far.
    private(set) var operationCount = 0

    init(types: [ByteString: ByteString] = [:], limits: ViewLimits = ViewLimits()) {
        views = ViewSet(types: types, limits: limits)
    }

    // MARK: Changes

    static func key(_ text: String) -> ViewKey {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return ViewKey(type: ByteString(parts[0]), id: ByteString(parts[1]))
    }

    /// Applies a unit of changes: `type:id` and the resource, nil for a delete.
    @discardableResult
    mutating func apply(_ changes: [(String, String?)]) -> [ViewUpdate] {
        apply(states: changes.map { (ViewWorld.key($0), $1.map { .present(Array($0.utf8)) } ?? .deleted) })
    }

    @discardableResult
    mutating func apply(states: [(ViewKey, ViewEntityState)]) -> [ViewUpdate] {
        var changes: [ViewChange] = []
        for (key, new) in states {
            changes.append(ViewChange(key, from: entities.states[key] ?? .unknown, to: new))
            entities.states[key] = new
        }
        let updates = views.apply(changes, entities)
        for update in updates { fold(update) }
        return updates
    }

    private mutating func fold(_ update: ViewUpdate) {
        guard let observer = observers[update.window] else { return }
        operationCount += update.patch.count
        do {
            let patch = try ReferenceJSONParser.parse(ViewPatchOperation.text(update.patch))
            observers[update.window]?.rows = try NaivePatch.apply(patch, to: observer.rows)
        } catch {
            Issue.record("\(error) in \(String(decoding: ViewPatchOperation.text(update.patch), as: UTF8.self))")
        }
        observers[update.window]?.total = update.total
        observers[update.window]?.missing = update.missing
    }

    // MARK: Observers

    static func json(_ text: String) throws -> ReferenceJSON { try ReferenceJSONParser.parse(Array(text.utf8)) }

    /// Observes a rule.
    ///
    /// - Parameter between: Called between the steps in which the view is computed.
    @discardableResult
    mutating func observe(
        _ rule: String, _ parameters: String = "{}", offset: Int? = nil, limit: Int? = nil, step: Int = 1_000,
        between: (inout ViewWorld) -> Void = { _ in }
    ) throws -> ViewWindowID {
        let checked = try ViewRule(json: Array(rule.utf8))
        let held = views.hold(checked, try ViewBinding(Array(parameters.utf8), for: checked))
        let use = try #require(held)
        while !views.fill(use, entities, countMax: step) { between(&self) }
        let opened = views.open(use, offset: offset, limit: limit, entities)
        let window = try #require(opened)
        views.release(use)
        let result = try #require(views.result(window))
        let given = try ViewWorld.json(parameters).members ?? []
        observers[window] = Observer(
            rule: try ViewWorld.json(rule),
            parameters: Dictionary(given.map { (String(decoding: $0.key.unescaped, as: UTF8.self), $0.value) }) { $1 },
            hasTotal: checked.hasTotal, window: window, offset: offset, limit: limit,
            rows: .array(try result.rows.map { try ReferenceJSONParser.parse($0) }), total: result.total,
            missing: result.missing)
        return window
    }

    mutating func move(_ window: ViewWindowID, offset: Int?, limit: Int?) {
        if let offset { observers[window]?.offset = offset }
        if let limit { observers[window]?.limit = limit }
        if let update = views.move(window, offset: offset, limit: limit, entities) { fold(update) }
    }

    mutating func suspend(_ window: ViewWindowID) { views.suspend(window) }

    mutating func resume(_ window: ViewWindowID) {
        if let update = views.resume(window, entities) { fold(update) }
    }

    mutating func close(_ window: ViewWindowID) {
        observers[window] = nil
        views.close(window)
    }

    /// The rows that an observer has folded, as JSON.
    func rows(_ window: ViewWindowID) -> String { observers[window]?.rows.description ?? "" }

    // MARK: Comparison

    /// Compares what every observer has folded with a read of the window, with a fresh evaluation, and with the model.
    func check(_ comment: @autoclosure () -> String = "") throws {
        for observer in observers.values.sorted(by: { $0.window < $1.window }) {
            let read = try #require(views.result(observer.window))
            let rows = ReferenceJSON.array(try read.rows.map { try ReferenceJSONParser.parse($0) })
            #expect(NaivePatch.plain(observer.rows) == NaivePatch.plain(rows), "folded and read: \(comment())")
            #expect(observer.missing == read.missing, "told and read: \(comment())")
            if observer.hasTotal { #expect(observer.total == read.total, "told and read: \(comment())") }
            let wanted = try model(observer)
            #expect(
                NaivePatch.plain(rows).description == NaivePatch.plain(.array(wanted.rows)).description,
                "rows and model: \(comment())")
            #expect(read.total == wanted.total, "total and model: \(comment())")
            #expect(read.missing == wanted.missing, "missing and model: \(comment())")
            #expect(read.keys.count == read.rows.count && Set(read.keys).count == read.keys.count)
        }
    }

    /// Checks for every entity that the explanation agrees with the keys of the shown rows.
    func checkExplanations(_ comment: @autoclosure () -> String = "") throws {
        for window in observers.keys.sorted() {
            let keys = try #require(views.result(window)).keys
            for entity in entities.states.keys.sorted() {
                let rows = keys.filter { key in
                    if case .entities(let behind) = key { behind.contains(entity) } else { false }
                }
                switch views.explain(entity, window, entities) {
                case .rows(let found)?:
                    #expect(Set(rows).isSubset(of: found) && !found.isEmpty, "\(entity.text): \(comment())")
                    let isGrouped = keys.contains { if case .group = $0 { true } else { false } }
                    #expect(isGrouped || views.isPending(window, covered: [entity], entities))
                case .failed(let failure)?:
                    #expect(rows.isEmpty && !failure.at.isEmpty, "\(entity.text), \(failure): \(comment())")
                    #expect(!views.isPending(window, covered: [entity], entities), "\(entity.text): \(comment())")
                case nil: Issue.record("no explanation of \(entity.text)")
                }
            }
        }
    }

    private func model(_ observer: Observer) throws -> NaiveView.Result {
        var model = try NaiveView(observer.rule, observer.parameters, entities.states)
        return model.result(offset: observer.offset, limit: observer.limit)
    }
}
