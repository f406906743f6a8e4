import Tidemark

/// A transaction of a cache that reads and writes documents: where typed updates meet a client.
///
/// A client's transaction conforms by passing text and bytes on; the typed methods come with the conformance.
public protocol OperationTransaction {
    /// Reads an operation's data.
    ///
    /// - Returns: `data` as JSON.
    /// - Throws: An error of the client when anything is missing.
    func data(document: String, operationName: String, variables: JSONValue) throws -> [UInt8]

    /// Writes an operation's data.
    func write(_ data: JSONValue, document: String, operationName: String, variables: JSONValue) throws
}

extension OperationTransaction {
    /// Reads an operation's data as its type.
    ///
    /// - Throws: An error of the client, or ``SelectionError``.
    public func read<Operation: TypedOperation>(_ operation: Operation) throws -> Operation.Data {
        try Operation.Data(
            data: try data(
                document: Operation.document, operationName: Operation.operationName, variables: operation.variables))
    }

    /// Writes an operation's data.
    public func write<Operation: TypedOperation>(_ data: Operation.Data, of operation: Operation) throws {
        try write(
            data.jsonValue, document: Operation.document, operationName: Operation.operationName,
            variables: operation.variables)
    }

    /// Reads an operation's data, lets `body` change it, and writes it.
    ///
    /// ```swift
    /// try transaction.update(HeroName()) { $0.hero?.name = "Artoo" }
    /// ```
    ///
    /// - Throws: An error of the client, ``SelectionError``, or what `body` throws; nothing is written then.
    public func update<Operation: TypedOperation>(
        _ operation: Operation, _ body: (inout Operation.Data) throws -> Void
    ) throws {
        var data = try read(operation)
        try body(&data)
        try write(data, of: operation)
    }
}
