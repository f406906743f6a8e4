import ArgumentParser
import TidemarkModel

/// A value of `--evict-ignore`: a type, or a field of a type.
struct KeptName: ExpressibleByArgument {
    let type: ByteString
    /// The field that is kept; nil to keep the whole type.
    let field: ByteString?

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, parts[0] != "" else { return nil }
        let head = parts.dropLast().joined(separator: ".")
        guard parts.count == 1 || !head.isEmpty else { return nil }
        type = ByteString(parts.count == 1 ? argument : head)
        field = parts.count == 1 || last == "*" ? nil : ByteString(String(last))
    }
}
