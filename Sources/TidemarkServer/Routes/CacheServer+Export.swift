import Dispatch
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

extension CacheServer {
    /// Streams every entity in scope, one per line, as of one moment.
    func export(_ request: Request) async throws(Refusal) -> Response {
        let items = try QueryItems(path: request.head.path ?? "", known: ["library_id", "type"])
        guard let path = configuration.databasePath else {
            throw Refusal(.notFound, "this cache has no data file: nothing can be exported")
        }
        do throws(StorageError) {
            try await source.prepareExport()
        } catch {
            throw Refusal(.storageFailed, error.description)
        }
        guard exports.add() <= configuration.limits.exportCountMax else {
            exports.remove()
            throw Refusal(.overloaded, "\(configuration.limits.exportCountMax) exports run already: try again later")
        }
        let scope = EntityExport.Scope(
            library: items["library_id"].map { ByteString($0) }, type: items["type"].map { ByteString($0) })
        let export = EntityExport(path: path, encryption: configuration.databaseEncryption, scope: scope)
        let lease = ExportLease(export, exports)
        do throws(StorageError) {
            try await export.begin()
        } catch {
            throw Refusal(.storageFailed, error.description)
        }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(lease) {} }
                while let bytes = try await export.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
                try await writer.finish(nil)
            })
    }
}

/// Stops an export and frees its place when released, because a response that is never written is dropped silently.
private final class ExportLease: Sendable {
    private let export: EntityExport
    private let exports: ConnectionCount

    init(_ export: EntityExport, _ exports: ConnectionCount) {
        self.export = export
        self.exports = exports
    }

    deinit {
        export.stop()
        exports.remove()
    }
}
