/// Makes numbers below zero the values of the options before them.
///
/// The parser takes everything with a dash for an option, and would say that a value is missing; so it hears of the number, and says what
/// the option takes.
enum NegativeNumbers {
    /// - Parameter arguments: Without the command's own name.
    /// - Returns: `--limit -1` as `--limit=-1`; everything else, and all behind `--`, as it is.
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
