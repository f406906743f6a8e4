import TidemarkJSON
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit

/// Bytes of rows: the first one chooses their form, the rest are a body as someone could forge it.
///
/// A body with a wrong check is refused; one with a valid check gives the declared content or a fault; a written body
/// is read back.
enum PayloadTarget {
    static let target = FuzzTarget("payload", byteCountMax: 2_048, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let choice = bytes.first ?? 0
        let rest = Array(bytes.dropFirst())
        let row = SealedRow(isUUID: choice & 8 != 0)
        switch choice & 7 {
        case 0, 1: try forged(row, rest)
        case 2: try untouched(row, rest)
        case 3: try written(row, rest, choice)
        case 4: try list(rest)
        case 5: try layer(rest)
        case 6: try stamps(rest)
        default: try forged(row, [0x20 | choice >> 4] + rest)
        }
    }

    // MARK: Entities

    /// Checks a body with the check that a forger would compute, and with a wrong one.
    private static func forged(_ row: SealedRow, _ covered: [UInt8]) throws {
        guard let header = covered.first else { return }
        let body = row.sealed(covered)
        let decoder = try PayloadDecoder()
        let result = row.decode(body, decoder)
        try requireEqual(row.decode(body, decoder), result, "the body, decoded again")
        try requireEqual(row.decode(body, try PayloadDecoder()), result, "the body, decoded by another")
        if case .success(let payload) = result {
            try require(payload.count <= 16 << 20, "a payload of \(payload.count) bytes")
            if let declared = row.declaredByteCount(of: covered) {
                try requireEqual(payload.count, declared, "bytes of a payload, and declared")
            }
            if header & 0b11 == 0, header & 0b1_1000 == 0, header >> 5 == 1 {
                try requireEqual(payload, Array(covered.dropFirst()), "a payload that is stored as it is")
            }
        }
        var damaged = body
        let bit = covered.count % (body.count * 8)
        damaged.flip(bit: bit % 8, at: bit / 8)
        try requireEqual(
            row.decode(damaged, decoder), .failure(.checksumMismatch), "a body of which bit \(bit) is another")
        let other = SealedRow(isUUID: row.isUUID, sequence: 5)
        try requireEqual(other.decode(body, decoder), .failure(.checksumMismatch), "a body under another sequence")
    }

    /// Checks the bytes unchanged: nobody finds a check of 32 bits by accident, so an accepted body passes it.
    private static func untouched(_ row: SealedRow, _ body: [UInt8]) throws {
        let passes = row.passesCheck(body)
        guard case .success = row.decode(body, try PayloadDecoder()) else { return }
        try require(passes, "a body whose check is wrong is taken")
    }

    private static func written(_ row: SealedRow, _ bytes: [UInt8], _ choice: UInt8) throws {
        let fieldCount = choice & 16 == 0 ? 0 : min(bytes.count, 5)
        let (fields, payload) = (Array(bytes.prefix(fieldCount)), Array(bytes.dropFirst(fieldCount)))
        for compression in DataCompression.available {
            let body = try row.encoded(
                payload, fields: fields, usesDictionary: choice & 32 != 0, isPadded: choice & 64 != 0, compression)
            let found = row.decode(body, try PayloadDecoder())
            try requireEqual(found, .success(payload), "what was written with \(compression)")
            let read = try body.withUnsafeBytes { try PayloadDecoder.fields($0) }
            try requireEqual(read, fields, "the fields beside it")
        }
    }

    // MARK: Other rows

    private static func list(_ bytes: [UInt8]) throws {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in try ElementListCodec.decode(bytes) }
        }
        guard case .success(let elements) = result else { return }
        try require(elements.count <= bytes.count, "\(elements.count) elements of \(bytes.count) bytes")
        let again = try ElementListCodec.encode(elements).withUnsafeBytes { try ElementListCodec.decode($0) }
        try requireEqual(again, elements, "a list that was written and read")
    }

    private static func layer(_ bytes: [UInt8]) throws {
        var names = LayerNames()
        guard let layer = try layer(bytes, &names) else { return }
        for change in layer.changes {
            switch change {
            case .put(_, let resource):
                try require(CompactJSON.isObject(resource), "\(resource.text) cannot be walked")
            case .patch(_, let fields, _):
                try require(fields.isEmpty || CompactJSON.isObject(fields), "\(fields.text) cannot be walked")
            case .merge(_, let fields):
                try require(CompactJSON.isObject(fields), "\(fields.text) cannot be walked")
            case .removeField, .delete: break
            }
        }
        let record = LayerRecord(
            number: 1, pendingID: "p", library: 0, dependsOn: layer.dependsOn, createdAt: 0, changes: layer.changes,
            sending: layer.sending)
        for compression in DataCompression.available {
            let written = LayerBodyCodec.encode(
                record, types: names.newTypes.map(\.name), try BlockCompressor(compression))
            let again = try self.layer(written, &names)
            try requireEqual(again?.changes, layer.changes, "a layer that was written and read")
            try requireEqual(again?.dependsOn, layer.dependsOn, "what it depends on")
            try requireEqual(again?.sending, layer.sending, "its request")
        }
    }

    private static func layer(
        _ bytes: [UInt8], _ names: inout LayerNames
    ) throws -> LayerBodyCodec.Body? {
        var result: LayerBodyCodec.Body?
        bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) { result = try LayerBodyCodec.decode(bytes, library: 0, &names) } catch {}
        }
        return result
    }

    private static func stamps(_ bytes: [UInt8]) throws {
        guard let stamps = FieldStamps(encoded: bytes) else { return }
        var written: [UInt8] = []
        stamps.encode(into: &written)
        try requireEqual(FieldStamps(encoded: written), stamps, "stamps that were written and read")
    }
}
