import ArgumentParser

/// A duration such as `60s`, `5m` or `1h`; a number alone means seconds.
struct TimeBudget: ExpressibleByArgument {
    let seconds: Int

    init(seconds: Int) {
        self.seconds = seconds
    }

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        var digits = Substring(argument)
        var unit = 1
        if let last = digits.last, let known = units[last] {
            unit = known
            digits.removeLast()
        }
        guard let number = Int(digits), number > 0, number <= 1_000_000 else { return nil }
        seconds = number * unit
    }

    var defaultValueDescription: String { "\(seconds)s" }
}
