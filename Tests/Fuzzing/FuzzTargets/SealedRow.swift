import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// A row whose bodies are forged: its key, its stamps, and the dictionary of its type.
struct SealedRow {
    let isUUID: Bool
    private let id: [UInt8]
    private let seal: PayloadSeal
    private let dictionary: PayloadDictionary

    /// Makes a row. The dictionary has number 1, and text that resources also have.
    init(isUUID: Bool, sequence: Int64? = 4) {
        self.isUUID = isUUID
        id = isUUID ? Array(0x41...0x50) : Array("an id".utf8)
        seal = PayloadSeal(
            library: 3, type: 2, isUUID: isUUID, sequence: sequence, generation: 1, writtenAt: 1_700_000_000_000)
        let text = String(repeating: #"{"id":"an id","name":"alpha","path":"/a/b","size":1,"kind":"image"}"#, count: 8)
        dictionary = PayloadDictionary(number: 1, type: 2, bytes: Array(text.utf8))
    }

    /// Returns a valid check, followed by a header and the bytes after it.
    func sealed(_ covered: [UInt8]) -> [UInt8] {
        let seed = id.withUnsafeBytes { seal.seed(id: $0) }
        let check = UInt32(truncatingIfNeeded: covered.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
        return withUnsafeBytes(of: check.littleEndian) { Array($0) } + covered
    }

    func passesCheck(_ body: [UInt8]) -> Bool {
        body.count > 4 && sealed(Array(body.dropFirst(4))) == body
    }

    func decode(_ body: [UInt8], _ decoder: PayloadDecoder) -> Result<[UInt8], PayloadError> {
        body.withUnsafeBytes { body in
            id.withUnsafeBytes { id in
                Result { () throws(PayloadError) in
                    try decoder.decode(body, id: id, seal: seal, dictionaries: [1: dictionary])
                }
            }
        }
    }

    func encoded(
        _ payload: [UInt8], fields: [UInt8], usesDictionary: Bool, isPadded: Bool, _ compression: DataCompression
    ) throws -> [UInt8] {
        let encoder = try PayloadEncoder(compression)
        encoder.startBatch()
        return payload.withUnsafeBytes { payload in
            fields.withUnsafeBytes { fields in
                id.withUnsafeBytes { id in
                    Array(
                        encoder.encode(
                            payload, id: id, seal: seal, fields: fields,
                            dictionary: usesDictionary ? dictionary : nil, isPadded: isPadded))
                }
            }
        }
    }

    /// Returns the declared unpacked size of a compressed body without fields, with the id that is restored; nil for
    /// other bodies. Its reader of numbers is not the decoder's.
    func declaredByteCount(of covered: [UInt8]) -> Int? {
        guard let header = covered.first, header >> 5 == 1, header & 0b11 != 0 else { return nil }
        var numbers = covered.dropFirst()
        func number() -> Int {
            var (value, place) = (0, 1)
            while let byte = numbers.popFirst() {
                value += Int(byte % 128) * place
                place *= 128
                if byte < 128 { break }
            }
            return value
        }
        if header & 0b11 >= 2 { _ = number() }
        let idCount = header & 8 == 0 ? 0 : isUUID ? 36 : id.count
        return number() + idCount
    }
}
