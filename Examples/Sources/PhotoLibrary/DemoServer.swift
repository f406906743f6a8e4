import Foundation
import Photos
import Tidemark
import TidemarkModel

/// A server of photos inside the app, so that the example needs no network. It has a log of events, answers questions
/// about missing ones, and takes renames.
///
/// It can be made unreachable, lose an event on its way, and rename photos by itself as another user would.
public actor DemoServer: Upstream, MutationUpstream {
    /// The method that renames a photo. Its input has the photo's `id`, the `name`, and the name `from` which it is
    /// changed.
    public static let rename = "photos.rename"

    /// True while requests reach the server, and its events reach the app.
    public private(set) var isReachable = true
    private var names: [String: String] = [:]
    /// The lines of the log; the first one has the sequence 1.
    private var log: [String] = []
    /// The number of lines that the app was sent or that were lost on their way.
    private var sentCount = 0
    private var losesNext = false
    /// The results of the mutations, by their ids: a mutation that arrives twice takes effect once.
    private var results: [ByteString: Int] = [:]
    private let events: AsyncStream<[UInt8]>.Continuation

    /// The lines of events, as they arrive at the app. A slow app gets the last 1,000; it asks for the others.
    public nonisolated let lines: AsyncStream<[UInt8]>

    /// Makes a server with some photos.
    public init(photos: [String: String] = ["1": "Sea", "2": "Dune", "3": "Shore"]) {
        (lines, events) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        names = photos
        for (id, name) in photos.sorted(by: { $0.key < $1.key }) {
            log.append(DemoServer.line(log.count + 1, id, name))
        }
    }

    // MARK: What a user of the example does to it

    /// Sends everything that was not sent yet.
    public func connect() {
        isReachable = true
        deliver()
    }

    /// Refuses requests and keeps events until ``connect()``.
    public func disconnect() { isReachable = false }

    /// Loses the next event on its way to the app.
    public func loseNextEvent() { losesNext = true }

    /// Renames a photo, as another user does.
    public func rename(_ id: String, to name: String) {
        append(id, name)
        deliver()
    }

    /// The name that the server has for a photo; nil when it has no such photo.
    public func name(of id: String) -> String? { names[id] }

    // MARK: What the cache asks

    /// Returns the events from a sequence on.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        guard isReachable else { throw UpstreamError("the server cannot be reached") }
        let first = max(1, Int(sequence.rawValue))
        let lines = first <= log.count ? log[(first - 1)...].joined() : ""
        return UpstreamResponse(lines: Array(lines.utf8), coveredThrough: EventSequence(Int64(log.count)))
    }

    /// Renames a photo, unless somebody else has renamed it meanwhile.
    public func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        guard isReachable else { throw UpstreamError("the server cannot be reached") }
        if let sequence = results[mutation.pendingID] {
            return OptimisticCommit(pendingID: mutation.pendingID, sequence: EventSequence(Int64(sequence)))
        }
        guard mutation.method == ByteString(DemoServer.rename), let rename = Rename(json: mutation.input) else {
            throw UpstreamError("the server knows no such request", isRefusal: true)
        }
        guard names[rename.id] == rename.from else {
            throw UpstreamError("somebody else has renamed it to '\(names[rename.id] ?? "")'", isRefusal: true)
        }
        append(rename.id, rename.name)
        results[mutation.pendingID] = log.count
        defer { deliver() }
        return OptimisticCommit(pendingID: mutation.pendingID, sequence: EventSequence(Int64(log.count)))
    }

    // MARK: The log

    private func append(_ id: String, _ name: String) {
        names[id] = name
        log.append(DemoServer.line(log.count + 1, id, name))
    }

    private static func line(_ sequence: Int, _ id: String, _ name: String) -> String {
        let photo = #"{"id":\#(quoted(id)),"name":\#(quoted(name)),"star_count":\#(name.count)}"#
        return
            #"{"sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":"photo","resource":\#(photo)}}}"#
            + "\n"
    }

    /// Returns a text as a JSON string.
    private static func quoted(_ text: String) -> String {
        guard let json = try? JSONEncoder().encode(text) else { return #""""# }
        return String(decoding: json, as: UTF8.self)
    }

    private func deliver() {
        guard isReachable else { return }
        for line in log[sentCount...] {
            if losesNext { losesNext = false } else { events.yield(Array(line.utf8)) }
        }
        sentCount = log.count
    }
}
