/// A sum of decimals, exact, from which a summand can be taken again.
///
/// The sum is kept in limbs of nine digits, each with a sign of its own: so neither adding nor subtracting carries far.
/// The exponents of summands are bounded, and so are the limbs: some 1,400 at most, few for usual numbers.
struct ExactSum: Sendable {
    private static let limbDigitCount = 9
    private static let limbEnd: Int64 = 1_000_000_000

    /// The limbs from the least significant on.
    private var limbs: [Int64] = []
    /// The power of ten of the first limb, divided by nine.
    private var low = 0

    init() {}

    /// Adds a number, or takes it away.
    ///
    /// - Complexity: O(digits), plus O(limbs) if the number begins far from the others.
    mutating func add(_ number: ShownDecimal, isRemoved: Bool = false) {
        guard !number.digits.isEmpty else { return }
        let shift = number.exponent - number.digits.count
        let start = (shift >= 0 ? shift : shift - ExactSum.limbDigitCount + 1) / ExactSum.limbDigitCount
        var digits = number.digits
        digits += [UInt8](repeating: 0, count: shift - start * ExactSum.limbDigitCount)
        let count = (digits.count + ExactSum.limbDigitCount - 1) / ExactSum.limbDigitCount
        reserve(start, start + count + 1)
        let sign: Int64 = number.isNegative == isRemoved ? 1 : -1
        var end = digits.count
        for limb in 0..<count {
            let begin = max(0, end - ExactSum.limbDigitCount)
            let value = digits[begin..<end].reduce(Int64(0)) { $0 * 10 + Int64($1) }
            limbs[start - low + limb] += sign * value
            end = begin
        }
        carry(from: start - low)
    }

    /// Makes room for the limbs from `start` to before `end`.
    private mutating func reserve(_ start: Int, _ end: Int) {
        if limbs.isEmpty { low = start }
        if start < low {
            limbs.insert(contentsOf: [Int64](repeating: 0, count: low - start), at: 0)
            low = start
        }
        if end > low + limbs.count { limbs += [Int64](repeating: 0, count: end - low - limbs.count) }
    }

    /// Brings every limb below nine digits again.
    private mutating func carry(from first: Int) {
        var index = first
        while index < limbs.count {
            let excess = limbs[index] / ExactSum.limbEnd
            if excess != 0 {
                limbs[index] -= excess * ExactSum.limbEnd
                if index + 1 == limbs.count { limbs.append(0) }
                limbs[index + 1] += excess
            }
            index += 1
        }
    }

    /// The sum.
    ///
    /// - Complexity: O(limbs).
    var value: ShownDecimal {
        let isNegative = (limbs.last { $0 != 0 } ?? 0) < 0
        var rest: Int64 = 0
        var digits: [UInt8] = []
        for limb in limbs {
            // Limbs have signs of their own: what one lacks is borrowed from the next.
            var value = (isNegative ? -limb : limb) + rest
            rest = 0
            if value < 0 {
                value += ExactSum.limbEnd
                rest = -1
            }
            for _ in 0..<ExactSum.limbDigitCount {
                digits.append(UInt8(value % 10))
                value /= 10
            }
        }
        return ShownDecimal(
            isNegative: isNegative, digits: digits.reversed(),
            exponent: (low + limbs.count) * ExactSum.limbDigitCount)
    }

    /// The bytes that the limbs take.
    var byteCount: Int { limbs.capacity * 8 }
}
