/// A store that the suite measures, in a process of its own.
protocol PastMemoryStore: AnyObject {
    /// The files whose sizes count as the store's.
    var folder: String { get }

    /// Feeds the lines of a file, and returns when all of them are durable.
    ///
    /// - Parameter fed: Called now and then with the number of bytes that were fed so far.
    func feed(_ path: String, fed: (Int64) -> Void) async throws

    /// Waits for the work that the store does in the background.
    func settle() async throws

    /// Reads one entity. Returns its size; 0 when it is absent.
    func read(_ entity: Int) async throws -> Int

    /// Prepares a stage: the lists or layers that it needs.
    func prepare(_ stage: PastMemoryStage, entityCount: Int) async throws

    /// Removes what ``prepare(_:entityCount:)`` made and later stages must not find.
    func cleanUp(after stage: PastMemoryStage) async throws

    func close() async throws
}

extension PastMemoryStore {
    func cleanUp(after stage: PastMemoryStage) async throws {}
}

/// The sizes that both stores get, so that they sync equally often.
enum PastMemorySizes {
    /// The number of lines of a batch that is synced.
    static let batchLineCount = 20_000
    /// The limit of the memory for entities: 128 MiB.
    static let memoryByteCount = 128 << 20
}
