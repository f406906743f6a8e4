import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import TidemarkInspector
internal import TidemarkRecording

extension CacheServer {
    /// Responds with a file of the inspector's page. Browsers cache it but revalidate each time.
    static func page(_ file: InspectorFile, _ request: Request) -> Response {
        var response = tagged(file.bytes, request)
        response.headers[.contentType] = file.contentType
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    /// Responds with the recording so far, as a file that `tidemark replay` accepts.
    func savedRecording() async throws(Refusal) -> Response {
        guard let recorder = configuration.recorder else {
            throw Refusal(
                .notFound, "nothing is recorded: start the server with --record FILE to keep the last minutes")
        }
        guard exports.add() <= configuration.limits.exportCountMax else {
            exports.remove()
            throw Refusal(.overloaded, "\(configuration.limits.exportCountMax) exports run already: try again later")
        }
        let lease = CountLease(exports)
        let copy: RecordingCopy
        do throws(RecordingError) {
            copy = try await recorder.copy()
        } catch {
            throw Refusal(.storageFailed, error.message)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/x-ndjson", .contentDisposition: #"attachment; filename="tidemark.rec""#,
            ],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(lease) {} }
                while let bytes = try await copy.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
                try await writer.finish(nil)
            })
    }
}

/// Holds one place of a count and frees it when released, because a response that is never written is dropped silently.
private final class CountLease: Sendable {
    private let count: ConnectionCount

    init(_ count: ConnectionCount) {
        self.count = count
    }

    deinit { count.remove() }
}
