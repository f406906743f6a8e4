import TidemarkModel
import TidemarkStore

/// The table `dictionaries`: the dictionaries with which the payloads of a type were compressed.
struct DictionaryTable {
    private let put: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection,
            "INSERT INTO dictionaries (dictionary, type, trained_at, checksum, body) VALUES (?, ?, ?, ?, ?)")
    }

    /// Writes a new dictionary.
    ///
    /// - Parameter now: The current time in milliseconds since 1970.
    func write(_ dictionary: PayloadDictionary, now: Int64) throws {
        put.bind(1, dictionary.number)
        put.bind(2, Int64(dictionary.type))
        put.bind(3, now)
        put.bind(
            4,
            PayloadDictionary.checksum(number: dictionary.number, type: dictionary.type, bytes: dictionary.bytes))
        put.bind(5, blob: dictionary.bytes)
        try put.run()
    }

    /// Reads all dictionaries.
    ///
    /// - Returns: The dictionaries that pass their check, by number; the numbers of those that fail it; the highest
    ///   number of all.
    static func read(_ connection: OpaquePointer) throws -> (
        dictionaries: [Int64: PayloadDictionary], damaged: [Int64], lastNumber: Int64
    ) {
        var dictionaries: [Int64: PayloadDictionary] = [:]
        var damaged: [Int64] = []
        var lastNumber: Int64 = 0
        let statement = try PreparedStatement(
            connection, "SELECT dictionary, type, checksum, body FROM dictionaries ORDER BY dictionary")
        try statement.forEachRow { row in
            let number = row.integer(0)
            let bytes = Array(row.borrowedBytes(3))
            lastNumber = max(lastNumber, try StoredNumber.count(max(0, number), "a dictionary's number"))
            guard let type = TypeIndex(exactly: row.integer(1)),
                PayloadDictionary.checksum(number: number, type: type, bytes: bytes) == row.integer(2)
            else {
                damaged.append(number)
                return
            }
            dictionaries[number] = PayloadDictionary(number: number, type: type, bytes: bytes)
        }
        return (dictionaries, damaged, lastNumber)
    }
}
