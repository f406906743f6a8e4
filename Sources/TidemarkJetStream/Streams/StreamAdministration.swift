import Dispatch

/// Creates a JetStream stream, or returns its settings and state.
///
/// ```swift
/// let administration = StreamAdministration(try JetStreamAddress("nats://localhost/EVENTS"))
/// var configuration = StreamConfiguration()
/// configuration.replicaCount = 3
/// let stream = try await administration.create(configuration)
/// print(stream.name, stream.messageCount)
/// ```
public struct StreamAdministration: Sendable {
    private let address: JetStreamAddress

    /// Creates an administration of the stream that the address names. Each call makes a connection of its own.
    public init(_ address: JetStreamAddress) { self.address = address }

    /// Returns the stream's settings and state.
    ///
    /// - Throws: ``JetStreamError``; `.noStream` when it does not exist.
    public func status() async throws -> StreamStatus {
        try await perform { api throws(JetStreamError) in try api.status(of: address.stream) }
    }

    /// Creates the stream for all subjects of the address's prefix. Succeeds if it already exists with the same
    /// settings.
    ///
    /// - Throws: ``JetStreamError``; `.differentStream` when it exists with other settings.
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
