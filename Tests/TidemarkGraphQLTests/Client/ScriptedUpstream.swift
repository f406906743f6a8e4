import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkGraphQL

/// A server in memory that gives answers in the order in which they were written down.
final class ScriptedUpstream: GraphQLUpstream {
    enum Answer: Sendable {
        case whole(String)
        /// Payloads; with a nil the connection breaks there.
        case parts([String?])
        /// Payloads of a subscription in the same way.
        case stream([String?])
        case failure(UpstreamError)
    }

    private struct State {
        var answers: [Answer]
        var requests: [GraphQLUpstreamRequest] = []
    }

    private let state: Mutex<State>

    init(_ answers: [Answer]) { state = Mutex(State(answers: answers)) }

    var requests: [GraphQLUpstreamRequest] { state.withLock { $0.requests } }
    var keepsTime: Bool { true }

    func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse {
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        switch answer {
        case .whole(let text):
            do throws(ResponseError) {
                return .whole(try ResponseParts(Array(text.utf8)))
            } catch {
                throw UpstreamError("\(error)")
            }
        case .parts(let payloads): return .parts(ListedParts(payloads), DeliveryFormat.hostParser)
        case .stream(let payloads): return .stream(ListedParts(payloads), .payloads)
        case .failure(let error): throw error
        case nil: throw UpstreamError("nothing is written down", isRefusal: true)
        }
    }

    func stop(fetch: UInt64) {}
}

final class ListedParts: GraphQLParts {
    private let rest: Mutex<[String?]>

    init(_ payloads: [String?]) { rest = Mutex(payloads) }

    func next() async throws(UpstreamError) -> (payload: JSONValue, byteCount: Int)? {
        let next: [String?] = rest.withLock { rest in
            defer { rest = Array(rest.dropFirst()) }
            return Array(rest.prefix(1))
        }
        guard let first = next.first else { return nil }
        guard let text = first else { throw UpstreamError("the connection broke", code: "connection_lost") }
        do throws(JSONSyntaxError) {
            return (try JSONValue(parsing: text.utf8), text.utf8.count)
        } catch {
            throw UpstreamError("\(error)")
        }
    }

    func stop() {}
}

extension GraphQLClient {
    /// Makes a client over a journal in memory.
    static func scripted(
        _ answers: [ScriptedUpstream.Answer] = [], clock: ManualClock = ManualClock(skipsUpTo: 100_000),
        options: Options = Options()
    ) async throws -> (client: GraphQLClient, upstream: ScriptedUpstream) {
        let configuration = CacheConfiguration()
        let cache = try await SyncCache.open(
            configuration: configuration, journal: MemoryJournal(), upstream: nil, queryUpstream: nil, clock: clock)
        let upstream = ScriptedUpstream(answers)
        return (try await GraphQLClient(cache, upstream: upstream, options: options), upstream)
    }
}
