import HTTPTypes

/// Packs one response, so that a client can unpack everything that was written so far.
///
/// Each stream has its own: what one client is sent never shows in the sizes of another one.
protocol StreamPacker: Sendable {
    /// Returns the packed form of bytes.
    ///
    /// - Parameter isEnd: True to end the stream behind them.
    func packed(_ bytes: [UInt8], isEnd: Bool) -> [UInt8]
}

/// The codings of streams, the preferred one first.
enum StreamCoding: String, CaseIterable, Sendable {
    case zstd, gzip

    /// True if this build has the coding.
    private var isBuilt: Bool { self == .gzip || Inflater.Coding.hasZstd }

    /// Chooses the coding that a client accepts most.
    ///
    /// - Parameter fields: The values of `Accept-Encoding`.
    /// - Returns: nil to send bytes as they are.
    static func accepted(_ fields: [String]) -> StreamCoding? {
        let accepted = AcceptedNames(fields)
        var best: StreamCoding?
        for coding in allCases where coding.isBuilt && accepted.weight(of: coding.rawValue) > 0 {
            if accepted.weight(of: coding.rawValue) > best.map({ accepted.weight(of: $0.rawValue) }) ?? 0 {
                best = coding
            }
        }
        return best
    }

    /// Creates a packer; nil if there is no memory for it.
    func packer() -> (any StreamPacker)? {
        switch self {
        case .gzip: return GzipWriter()
        case .zstd:
            #if TIDEMARK_ZSTD
                return ZstdWriter()
            #else
                return nil
            #endif
        }
    }
}

/// The names and weights in a header field such as `Accept` or `Accept-Encoding`.
struct AcceptedNames: Sendable {
    private var weights: [String: Double] = [:]

    /// Reads the values of a field.
    init(_ fields: [String]) {
        for item in fields.flatMap({ $0.split(separator: ",") }) {
            let parts = item.split(separator: ";").map { String($0).trimmingSpaces().lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            weights[name] = max(weight, weights[name] ?? 0)
        }
    }

    /// The weight of a name; 0 if it is not accepted by its name.
    func weight(of name: String) -> Double { weights[name] ?? 0 }
}
