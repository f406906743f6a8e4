/// Joins a negative number to the option before it.
///
/// The parser takes every argument with a dash for an option, and would report a missing value. In the joined form it
/// sees the number, and reports which values are allowed.
enum NegativeNumbers {
    /// Joins options with the negative numbers that follow them.
    ///
    /// - Parameter arguments: The arguments without the command's own name.
    /// - Returns: `--limit -1` as `--limit=-1`; other arguments, and all arguments after `--`, unchanged.
    static func joined(_ arguments: [String]) -> [String] {
        var result: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return result + arguments[index...] }
            if let last = result.last, last.hasPrefix("--"), !last.contains("="), isNumber(argument) {
                result[result.count - 1] = "\(last)=\(argument)"
            } else {
                result.append(argument)
            }
        }
        return result
    }

    private static func isNumber(_ argument: String) -> Bool {
        let digits = argument.utf8.dropFirst()
        return argument.hasPrefix("-") && !digits.isEmpty
            && digits.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
    }
}
