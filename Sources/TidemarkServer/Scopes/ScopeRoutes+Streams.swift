import Foundation
import Synchronization
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes

extension ScopeRoutes {
    /// Why a scope is not served.
    public enum Refusal: Error, Hashable, Sendable {
        /// There is no scope of this name.
        case notFound
        /// A parameter is wrong; the text says which and what to write.
        case badRequest(String)
        /// The identity does not open the scope. A client that hears this drops what the scope showed.
        case forbidden
        /// There are too many scopes or streams.
        case tooMany
        /// The cache cannot be read now.
        case unavailable(String)
    }

    /// Begins a stream for somebody whom your program knows.
    ///
    /// ```swift
    /// func feed(_ scopes: ScopeRoutes, _ identity: ScopeIdentity, send: ([UInt8]) -> Void) async throws {
    ///     for await line in try await scopes.stream("project", ["project": "p1"], for: identity) { send(line) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The scope's name in the file.
    ///   - parameters: The values that would be in the address.
    ///   - identity: Who asks. The stream ends at its expiry.
    ///   - sequence: With `epoch`, where the client goes on; nil for a state.
    ///   - epoch: The name of the log that the client followed.
    /// - Throws: ``Refusal``.
    public func stream(
        _ name: String, _ parameters: [String: String], for identity: ScopeIdentity, after sequence: UInt64? = nil,
        epoch: String? = nil
    ) async throws(Refusal) -> ScopeLines {
        let address = parameters.sorted { $0.key < $1.key }.map { (ByteString($0.key), ByteString($0.value)) }
        var resumption: ScopeReader.Resumption?
        if let sequence, let epoch { resumption = ScopeReader.Resumption(after: sequence, epoch: ByteString(epoch)) }
        do throws(ScopeRefusal) {
            return ScopeLines(
                try await open(ScopeRequest(name, identity, address), resumption, for: identity), self)
        } catch {
            switch error {
            case .request(.notFound): throw .notFound
            case .request(.badRequest(let message)): throw .badRequest(message)
            case .request(.forbidden): throw .forbidden
            case .request(.tooMany), .tooManyStreams: throw .tooMany
            case .unavailable(let message): throw .unavailable(message)
            // Only requests for missing lines are refused so.
            case .epochOver: throw .unavailable("the epoch is over")
            }
        }
    }
}

/// The lines of a scope for one client, without their ends. The last one says why the stream ends.
public struct ScopeLines: AsyncSequence, Sendable {
    private let lease: Lease

    /// Closes the stream when it is released.
    fileprivate final class Lease: Sendable {
        let stream: ScopeStream
        let routes: ScopeRoutes

        init(_ stream: ScopeStream, _ routes: ScopeRoutes) {
            self.stream = stream
            self.routes = routes
        }

        deinit { routes.close(stream) }
    }

    init(_ stream: ScopeStream, _ routes: ScopeRoutes) { lease = Lease(stream, routes) }

    /// Returns an iterator. Of several at a time, each line comes to one.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lease) }

    /// Iterates over the lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let lease: Lease
        private var lines: [[UInt8]] = []

        fileprivate init(_ lease: Lease) { self.lease = lease }

        /// Returns the next line; nil after the last one, and when the task is cancelled.
        public mutating func next() async -> [UInt8]? {
            while lines.isEmpty {
                let taken = Taken()
                let step = await lease.stream.nextStep { [lease] wake in
                    switch lease.stream.next(now: Int64(Date().timeIntervalSince1970 * 1_000), wake: wake) {
                    case .wait: return .wait
                    case .lines(let lines, let hasRoom):
                        taken.set(lines.map(\.bytes))
                        return .send([], hasRoom: hasRoom)
                    case .end, .cut: return .cut
                    }
                }
                guard case .send(_, let hasRoom) = step else { return nil }
                lines = taken.lines.reversed()
                if hasRoom { await lease.routes.service.resume(lease.stream) }
            }
            return lines.popLast()
        }
    }
}

/// The lines of one step, from the callback to its caller.
private final class Taken: Sendable {
    private let guarded = Mutex<[[UInt8]]>([])

    var lines: [[UInt8]] { guarded.withLock { $0 } }

    func set(_ lines: [[UInt8]]) { guarded.withLock { $0 = lines } }
}
