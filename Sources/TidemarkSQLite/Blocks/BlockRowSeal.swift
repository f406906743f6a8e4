import TidemarkModel

/// Computes the checks of rows in the tables of blocks, for tests that forge rows.
package enum BlockRowSeal {
    /// Returns a row with the correct check for its content.
    ///
    /// - Parameters:
    ///   - body: The row. Its first bytes are replaced.
    ///   - table: The table of the row.
    ///   - number: The number of the row.
    ///   - other: `through` of a segment, `after` of a row of `changes`.
    ///   - connection: The file of the row.
    /// - Returns: nil for a table without such checks, and for a row that is too short for one.
    package static func sealed(
        _ body: [UInt8], table: String, number: Int64, other: Int64, of connection: OpaquePointer
    ) -> [UInt8]? {
        let seed: UInt64
        do { seed = try LogIdentity.hashSeed(connection) } catch { return nil }
        switch table {
        case "blocks": return BlockCodec.sealed(body, number: number)
        case "segments":
            return StoredSegment.sealed(
                body, as: Int(clamping: number), seed: StoredSegment.seed(of: seed, through: other))
        case "changes": return ChangeRow.sealed(body, number: number, after: other, seed: seed)
        case "key_runs": return KeyPart.sealed(body, place: number)
        default: return nil
        }
    }
}
