/// A store that the suite measures, in a process of its own.
protocol PastMemoryStore: AnyObject {
    /// The folder with all files of the store.
    var folder: String { get }

    /// Feeds the lines of a file, and returns when all of them are durable.
    ///
    /// - Parameter fed: Called from time to time with the number of bytes so far.
    func feed(_ path: String, fed: (Int64) -> Void) async throws

    /// Waits until the store has no work left in the background.
    func settle() async throws

    /// Reads one entity. Returns its size; 0 when it is absent.
    func read(_ entity: Int) async throws -> Int

    /// Creates the lists or layers that a stage needs.
    func prepare(_ stage: PastMemoryStage, entityCount: Int) async throws

    /// Removes what ``prepare(_:entityCount:)`` created and later stages must not find.
    func cleanUp(after stage: PastMemoryStage) async throws

    /// Closes the store.
    func close() async throws
}

extension PastMemoryStore {
    /// Does nothing.
    func cleanUp(after stage: PastMemoryStage) async throws {}
}

/// The sizes that all stores share, so that they sync equally often.
enum PastMemorySizes {
    /// The number of lines in a batch. A store syncs once for each batch.
    static let batchLineCount = 20_000
    /// The limit of the memory for entities: 128 MiB.
    static let memoryByteCount = 128 << 20
}
