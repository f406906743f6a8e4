import ArgumentParser
import Synchronization
import Tidemark
import TidemarkJSON
import TidemarkLiveViews
import TidemarkModel
import TidemarkRecording
import TidemarkStore
import TidemarkViews

/// Decides after each step of a replay whether a view has a row with a certain value.
///
/// The view is observed, so that a step that changes nothing in it costs nothing; after one that does, its rows are
/// read.
final class ViewTurns: Sendable {
    /// What is known of the view in one library.
    private struct Known {
        /// nil while no view of the library has the name.
        var sink: ChangeSink?
        var value = false
    }

    private let view: RequestedView
    private let params: [UInt8]?
    private let row: Membership
    /// By library; the libraries of the recording bound it.
    private let known = Mutex<[ByteString: Known]>([:])

    init(_ view: RequestedView, params: [UInt8]?, row: Membership) {
        self.view = view
        self.params = params
        self.row = row
    }

    /// True once any library had the view.
    var wasFound: Bool { known.withLock { $0.values.contains { $0.sink != nil } } }

    /// Returns true if a row of the view in a library has the value now.
    ///
    /// - Parameter cache: A cache with views.
    func holds(in library: ByteString, _ cache: SyncCache) async throws(CacheError) -> Bool {
        let known = known.withLock { $0[library] } ?? Known()
        if let sink = known.sink, !sink.takeChange() { return known.value }
        var request = ViewRequest(library: library, view: view)
        request.params = params
        do throws(CacheError) {
            let reply: ViewReply
            var sink = known.sink
            if sink == nil {
                let new = ChangeSink()
                reply = try await ViewEngine.observe(request, sink: new, in: cache)
                sink = new
            } else {
                reply = try await ViewEngine.read(request, in: cache)
            }
            let value = reply.rows.contains { $0.withUnsafeBytes { row.matches($0) } }
            self.known.withLock { $0[library] = Known(sink: sink, value: value) }
            return value
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }
}

/// Notes that an observed view has changed.
private final class ChangeSink: ObserverSink {
    private let isChanged = Mutex(false)

    func offer(_ notification: CacheNotification) -> Bool {
        deliver(notification)
        return true
    }

    func deliver(_ notification: CacheNotification) { isChanged.withLock { $0 = true } }

    func takeChange() -> Bool {
        isChanged.withLock { isChanged in
            defer { isChanged = false }
            return isChanged
        }
    }
}

/// A value inside a row: `POINTER=VALUE`, where the value is JSON, or else a string.
struct RowCondition: ExpressibleByArgument {
    let pointer: ByteString
    /// The value as JSON.
    let value: [UInt8]

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        let pointer = argument[..<sign]
        guard pointer.isEmpty || pointer.first == "/" else { return nil }
        self.pointer = ByteString(String(pointer))
        let text = argument[argument.index(after: sign)...]
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: Array(text.utf8))
            value = Array(text.utf8)
        } catch {
            var line = JSONLine()
            line.value(ByteString(String(text)))
            value = line.bytes
        }
    }

    /// The condition on a row.
    ///
    /// - Throws: ``/TidemarkStore/MembershipError``.
    func rule() throws(MembershipError) -> Membership {
        var line = JSONLine()
        line.object { line in
            line.member("path", Optional(pointer))
            line.member("eq", json: Optional(value))
        }
        return try TurnPredicate.rule("row", where: line.bytes)
    }
}
