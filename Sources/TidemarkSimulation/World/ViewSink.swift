import Synchronization
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkReferenceModel

/// A sink that applies the patches of observed views to their rows, and knows which views a process has.
final class ViewSink: ObserverSink {
    /// A view of one library.
    struct Place: Hashable, Sendable {
        let library: String
        let view: SimulatedView
    }

    /// What the observer of a view was told.
    struct Followed: Equatable, Sendable {
        var rows: [[UInt8]]
        var isStale: Bool
        var isPending: Bool
        /// The number of all rows; nil before a notification with one.
        var total: ReferenceJSON?
    }

    private struct State {
        var isAttached = false
        var defined: Set<Place> = []
        var first: [Place: Result<ViewReply, CacheError>] = [:]
        var places: [Int64: Place] = [:]
        var followed: [Place: Followed] = [:]
        var problem: SimulationFailure?

        mutating func note(_ text: String) { problem = problem ?? SimulationFailure(text) }
    }

    private let state = Mutex(State())

    /// True once the cache has views.
    var isAttached: Bool { state.withLock { $0.isAttached } }
    /// The views that were acknowledged as defined.
    var defined: Set<Place> { state.withLock { $0.defined } }
    /// The first notification that did not fit.
    var problem: SimulationFailure? { state.withLock { $0.problem } }

    func setAttached() { state.withLock { $0.isAttached = true } }

    func noteDefined(_ place: Place) { state.withLock { _ = $0.defined.insert(place) } }

    /// The first result of a view that an earlier process defined; nil before it is there.
    func first(_ place: Place) -> Result<ViewReply, CacheError>? { state.withLock { $0.first[place] } }

    func noteFirst(_ place: Place, _ result: Result<ViewReply, CacheError>) {
        state.withLock { if $0.first[place] == nil { $0.first[place] = result } }
    }

    /// What the observer of a view was told; nil before its first answer.
    func followed(_ place: Place) -> Followed? { state.withLock { $0.followed[place] } }

    /// Registers an observer with its first answer. Call it inside the reply.
    func begin(_ place: Place, _ reply: ViewReply) {
        guard let number = reply.subscription?.rawValue else { return }
        state.withLock { state in
            state.places[number] = place
            state.followed[place] = Followed(
                rows: reply.rows, isStale: reply.status.isStale, isPending: reply.status.isPending)
        }
    }

    func offer(_ notification: CacheNotification) -> Bool {
        deliver(notification)
        return true
    }

    func deliver(_ notification: CacheNotification) {
        guard case .document(let change) = notification else { return }
        state.withLock { state in
            let text = String(decoding: change.params, as: UTF8.self)
            do {
                let params = try ReferenceJSONParser.parse(change.params)
                guard change.method == "view.changed", let patch = params.member("patch"),
                    let number = params.member("subscription")?.integerText,
                    let place = state.places.first(where: { "\($0.key)".utf8.elementsEqual(number) })?.value,
                    var followed = state.followed[place]
                else { return state.note("a notification of nobody: \(change.method) \(text) (L6)") }
                for operation in patch.elements ?? [] {
                    guard followed.apply(operation) else {
                        return state.note("a patch does not fit \(followed.rows.count) rows of \(place): \(text) (L6)")
                    }
                }
                followed.isStale = params.member("stale") == .bool(true)
                followed.isPending = params.member("pending") == .bool(true)
                followed.total = params.member("total") ?? followed.total
                // Another row may look the same.
                if followed == state.followed[place], patch.elements?.isEmpty == true {
                    state.note("the observer of \(place) is told what it knows: \(text) (L6)")
                }
                state.followed[place] = followed
            } catch {
                state.note("\(error): \(text)")
            }
        }
    }
}

extension ViewSink.Followed {
    /// Applies an operation of RFC 6902 on a whole row.
    ///
    /// - Returns: False if the rows have no such place.
    fileprivate mutating func apply(_ operation: ReferenceJSON) -> Bool {
        func index(_ name: String) -> Int? {
            operation.member(name)?.unescaped.flatMap { Int(String(decoding: $0.dropFirst(), as: UTF8.self)) }
        }
        guard let name = operation.member("op")?.unescaped, let to = index("path"), to >= 0 else { return false }
        switch String(decoding: name, as: UTF8.self) {
        case "add":
            guard to <= rows.count, let value = operation.member("value") else { return false }
            rows.insert(value.written, at: to)
        case "remove":
            guard rows.indices.contains(to) else { return false }
            rows.remove(at: to)
        case "replace":
            guard rows.indices.contains(to), let value = operation.member("value") else { return false }
            rows[to] = value.written
        case "move":
            guard let from = index("from"), rows.indices.contains(from), to < rows.count else { return false }
            rows.insert(rows.remove(at: from), at: to)
        default: return false
        }
        return true
    }
}
