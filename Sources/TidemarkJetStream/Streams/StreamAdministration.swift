import Dispatch

/// Makes and shows a stream.
public struct StreamAdministration: Sendable {
    private let address: JetStreamAddress

    public init(_ address: JetStreamAddress) { self.address = address }

    /// Returns the stream's settings and state.
    ///
    /// - Throws: ``JetStreamError``.
    public func status() async throws -> StreamStatus {
        try await perform { api throws(JetStreamError) in try api.status(of: address.stream) }
    }

    /// Makes the stream; one that exists with the same settings is success.
    ///
    /// - Throws: ``JetStreamError``; `.differentStream` when it exists with others.
    public func create(_ configuration: StreamConfiguration) async throws -> StreamStatus {
        try await perform { api throws(JetStreamError) in
            try api.create(address.stream, configuration, subjects: ["\(address.prefix).*"])
        }
    }

    private func perform(
        _ body: @escaping @Sendable (JetStreamAPI) throws(JetStreamError) -> StreamStatus
    ) async throws -> StreamStatus {
        let result: Result<StreamStatus, JetStreamError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "tidemark.jetstream.administration").async {
                do throws(JetStreamError) {
                    let connection = try NatsConnection(address)
                    continuation.resume(returning: .success(try body(JetStreamAPI(connection: connection))))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
