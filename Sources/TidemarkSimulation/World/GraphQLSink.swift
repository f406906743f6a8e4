import Synchronization
import Tidemark
import TidemarkModel
import TidemarkReferenceModel

/// The data of a watched document: by alias, an entity's fields as JSON; nil for null.
struct GraphQLData: Hashable, Sendable {
    var entities: [String: [String: String]?] = [:]

    init() {}

    /// Parses data.
    ///
    /// - Throws: ``SimulationFailure`` for data of another form.
    init(_ json: ReferenceJSON) throws {
        guard let members = json.members else { throw SimulationFailure("data is \(json.written), not an object (L6)") }
        for member in members { entities[Self.text(member.key.unescaped)] = .some(try Self.fields(member.value)) }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func fields(_ value: ReferenceJSON) throws -> [String: String]? {
        if value == .null { return nil }
        guard let members = value.members else { throw SimulationFailure("an entity is \(value.written) (L6)") }
        return Dictionary(uniqueKeysWithValues: members.map { (text($0.key.unescaped), text($0.value.written)) })
    }

    /// Applies an RFC 6902 patch whose paths name aliases and their fields.
    mutating func apply(_ patch: ReferenceJSON) throws {
        for operation in patch.elements ?? [] {
            let path = Self.string(operation.member("path"))
            let steps = path.split(separator: "/").map(String.init)
            let value = operation.member("value")
            switch (Self.string(operation.member("op")), steps.count) {
            case ("replace", 1):
                guard let value, entities[steps[0]] != nil else { throw misfit(path) }
                entities[steps[0]] = .some(try Self.fields(value))
            case ("replace", 2), ("add", 2):
                guard let value, case .some(.some(var fields)) = entities[steps[0]] else { throw misfit(path) }
                fields[steps[1]] = Self.text(value.written)
                entities[steps[0]] = .some(fields)
            case ("remove", 2):
                guard case .some(.some(var fields)) = entities[steps[0]], fields.removeValue(forKey: steps[1]) != nil
                else { throw misfit(path) }
                entities[steps[0]] = .some(fields)
            default: throw misfit(path)
            }
        }
    }

    private func misfit(_ path: String) -> SimulationFailure {
        SimulationFailure("a patch of \(path) does not fit \(entities) (L6)")
    }

    private static func string(_ json: ReferenceJSON?) -> String {
        json.map { text($0.written) }?.trimmingQuotes ?? ""
    }
}

extension String {
    fileprivate var trimmingQuotes: String { hasPrefix("\"") ? String(dropFirst().dropLast()) : self }
}

/// A sink that applies patches to the initial data of watched documents.
final class GraphQLSink: ObserverSink {
    struct Watched: Sendable {
        let question: GraphQLQuestion
        var data: GraphQLData
        /// The last notification without its patch; nil before the first one.
        fileprivate var told: Told?
    }

    /// The members of a notification that are news even without a patch.
    fileprivate struct Told: Equatable, Sendable {
        let stale: ReferenceJSON?
        let response: ReferenceJSON?
        let deferred: ReferenceJSON?
        let miss: ReferenceJSON?

        init(_ params: ReferenceJSON) {
            stale = params.member("stale")
            response = params.member("response")
            deferred = params.member("deferred")
            miss = params.member("miss")
        }
    }

    private struct State {
        var watched: [SubscriptionID: Watched] = [:]
        var problem: SimulationFailure?

        mutating func note(_ text: String) { problem = problem ?? SimulationFailure(text) }
    }

    private let state = Mutex(State())

    var watched: [SubscriptionID: Watched] { state.withLock { $0.watched } }
    /// The first notification that did not fit.
    var problem: SimulationFailure? { state.withLock { $0.problem } }

    /// Registers an observer with its first answer. Call it inside the reply.
    func begin(_ subscription: SubscriptionID, _ question: GraphQLQuestion, _ data: [UInt8]) {
        state.withLock { state in
            do {
                let data = try GraphQLData(try ReferenceJSONParser.parse(data))
                state.watched[subscription] = Watched(question: question, data: data)
            } catch {
                state.note("\(error)")
            }
        }
    }

    func offer(_ notification: CacheNotification) -> Bool {
        deliver(notification)
        return true
    }

    func deliver(_ notification: CacheNotification) {
        guard case .document(let change) = notification, change.method == "graphql.changed" else { return }
        state.withLock { state in
            do {
                let params = try ReferenceJSONParser.parse(change.params)
                guard let patch = params.member("patch"),
                    let number = params.member("subscription")?.integerText,
                    let found = state.watched.first(where: { "\($0.key.rawValue)".utf8.elementsEqual(number) })
                else {
                    return state.note("a notification of nobody: \(String(decoding: change.params, as: UTF8.self))")
                }
                try state.watched[found.key]?.data.apply(patch)
                let told = Told(params)
                if patch.elements?.isEmpty == true, found.value.told == told, params.member("errors") == nil {
                    let text = String(decoding: change.params, as: UTF8.self)
                    state.note("\(found.value.question.name) is told what it knows: \(text) (L6)")
                }
                state.watched[found.key]?.told = told
            } catch {
                state.note("\(error)")
            }
        }
    }
}
