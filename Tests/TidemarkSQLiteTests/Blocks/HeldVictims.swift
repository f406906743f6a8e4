@testable import TidemarkSQLite

/// Reads victims when they are requested, and gives them out only after they are released.
final class HeldVictims: VictimSource {
    private let table: BlockTable
    private let unpacker: BlockUnpacker
    /// Kept as long as the statements of `table`.
    private let connection: BlockConnection
    private var ready: [VictimBlock] = []
    var isReleased = false

    init(_ path: String) throws {
        connection = try BlockConnection(path: path)
        table = try BlockTable(connection.handle)
        unpacker = try BlockUnpacker()
    }

    var requestedCount: Int { ready.count }

    func request(_ blocks: [(ordinal: Int, number: Int64)]) {
        for (ordinal, number) in blocks {
            do {
                let body = try table.body(number: number)
                ready.append(
                    VictimBlock(ordinal: ordinal, number: number, body: body, unpacker: unpacker, dictionaries: [:]))
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    func take(countMax: Int, waits: Bool, dictionaries: [Int64: PayloadDictionary]) throws -> [VictimBlock] {
        guard isReleased else { return [] }
        let taken = Array(ready.prefix(countMax))
        ready.removeFirst(taken.count)
        return taken
    }

    func stop() { ready = [] }
}
