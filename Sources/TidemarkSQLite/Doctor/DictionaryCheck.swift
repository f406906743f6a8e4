import TidemarkModel
import TidemarkStore

/// Examines the dictionaries that entities are compressed with, and counts the rows that need each.
struct DictionaryCheck {
    private let connection: OpaquePointer
    private let names: ReadNames

    init(_ connection: OpaquePointer, _ names: ReadNames) {
        self.connection = connection
        self.names = names
    }

    /// Adds one finding for each dictionary, and one for each missing dictionary that rows name.
    ///
    /// - Complexity: O(rows).
    func look(into examination: inout Examination) throws {
        let counters = try CounterTable.read(connection)
        var uses = try usesByDictionary()
        for number in names.damagedDictionaries {
            let count = uses.removeValue(forKey: number) ?? 0
            examination.add(
                .problem, .contents, .dictionaryDamaged,
                "dictionary \(number) fails its check, and \(counted(count, "row needs", "rows need")) it: these rows count as absent",
                advice: "tidemark verify --repair removes both; fetch the entities of these rows again")
        }
        for (number, dictionary) in names.dictionaries.sorted(by: { $0.key < $1.key }) {
            let count = uses.removeValue(forKey: number) ?? 0
            report(
                dictionary, useCount: count, sampleCount: counters[CounterTable.dictionarySamples(number)], &examination
            )
        }
        for (number, count) in uses.sorted(by: { $0.key < $1.key }) {
            examination.add(
                .problem, .contents, .dictionaryMissing,
                "\(counted(count, "row names", "rows name")) dictionary \(number), which is missing: these rows count as absent",
                advice: "tidemark verify --repair removes them; fetch their entities again")
        }
    }

    private func report(
        _ dictionary: PayloadDictionary, useCount: Int64, sampleCount: Int64?, _ examination: inout Examination
    ) {
        let type = Int(dictionary.type) < names.types.count ? names.types[Int(dictionary.type)].description : "?"
        let samples =
            sampleCount.map { "trained from \(counted($0, "sample"))" }
            ?? "trained by a version that did not count samples"
        let text = "dictionary \(dictionary.number) of \(dictionary.bytes.count) bytes, \(samples)"
        guard dictionary.isTrained else {
            examination.add(
                .problem, .contents, .dictionaryDamaged,
                "\(text), cannot be opened, and \(counted(useCount, "row needs", "rows need")) it",
                at: "type \(type)",
                advice: "tidemark verify --repair removes both; fetch the entities of these rows again")
            return
        }
        guard useCount > 0 else {
            examination.add(
                .note, .contents, .dictionary, "\(text), is used by no row", at: "type \(type)",
                advice: "nothing: rows written from now on use it")
            return
        }
        examination.add(
            .ok, .contents, .dictionary, "\(text), is used by \(counted(useCount, "row"))", at: "type \(type)")
    }

    /// Counts the rows that name each dictionary. A row whose header cannot be read is not counted; `verify` reports
    /// it.
    private func usesByDictionary() throws -> [Int64: Int64] {
        var uses: [Int64: Int64] = [:]
        if try EntityLayout(connection) == .blocks {
            try BlockBlob.forEachHead(connection) { head in
                if let number = head.dictionary { uses[number, default: 0] += Int64(head.count) }
            }
            return uses
        }
        try PreparedStatement(connection, "SELECT body FROM entities").forEachRow { row in
            if let number = PayloadDecoder.dictionary(row.borrowedBytes(0)) { uses[number, default: 0] += 1 }
        }
        return uses
    }
}

extension PayloadDecoder {
    /// Returns the number of the dictionary that a body names. The body's check is not verified.
    ///
    /// - Returns: nil when the body uses no dictionary, and when its header cannot be read.
    static func dictionary(_ body: UnsafeRawBufferPointer) -> Int64? {
        guard body.count > PayloadCodec.checkByteCount,
            let codec = PayloadCodec.Codec(rawValue: body[PayloadCodec.checkByteCount] & PayloadCodec.codecMask),
            codec.namesDictionary
        else { return nil }
        do throws(PayloadError) {
            var offset = try PayloadFields(body).headOffset
            let number = PayloadCodec.readVarint(body, at: &offset).map { Int64($0) }
            return codec == .deflate && number == 0 ? nil : number
        } catch {
            return nil
        }
    }
}
