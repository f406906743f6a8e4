import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// Multipart bodies and the answers in their parts.
///
/// The first byte chooses the boundary and the form, the second where the body is split. Every split gives the same
/// parts; no payload ends the process, and the answer so far is always JSON that can be read again.
enum MultipartTarget {
    static let target = FuzzTarget("multipart", byteCountMax: 4_096, .now(check))

    private static let boundaries = ["-", "ab", "graphql", "--x"]

    private static func check(_ bytes: [UInt8]) throws {
        guard bytes.count >= 2 else { return }
        let boundary = boundaries[Int(bytes[0] & 3)]
        let body = Array(bytes.dropFirst(2))
        let whole = try parts(of: [body], boundary)
        try requireEqual(try parts(of: body.map { [$0] }, boundary).parts, whole.parts, "the parts, byte by byte")
        let place = body.isEmpty ? 0 : Int(bytes[1]) * body.count / 256
        let split = try parts(of: [Array(body[..<place]), Array(body[place...])], boundary)
        try requireEqual(split.parts, whole.parts, "the parts, split at \(place)")
        try require(split.isWhole == whole.isWhole, "a split body is whole or not")
        var answer = IncrementalResponse(bytes[0] & 4 == 0 ? .defer20220824 : .incremental02)
        for part in whole.parts {
            if let type = part.contentType { _ = MediaType(type).flatMap { DeliveryRegistry.standard.format(of: $0) } }
            do throws(JSONSyntaxError) {
                try apply(try JSONValue(parsing: part.body), &answer)
            } catch {
                continue
            }
        }
    }

    private static func apply(_ payload: JSONValue, _ answer: inout IncrementalResponse) throws(JSONSyntaxError) {
        do throws(DeliveryError) {
            _ = try answer.apply(payload)
        } catch {
            // A payload of another form is refused; the answer so far stays.
        }
        // Each payload nests at most as deep as one value may, and a path as deep again.
        _ = try JSONValue(parsing: answer.answer.bytes, nestingDepthMax: 256)
    }

    private static func parts(
        of chunks: [[UInt8]], _ boundary: String
    ) throws -> (parts: [MultipartReader.Part], isWhole: Bool) {
        var reader = try MultipartReader(boundary: boundary, partByteCountMax: 1 << 20)
        var parts: [MultipartReader.Part] = []
        for chunk in chunks { parts += try reader.read(chunk) }
        parts += try reader.finish()
        return (parts, reader.isWhole)
    }
}
