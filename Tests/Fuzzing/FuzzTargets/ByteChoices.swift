/// Reads an input as a row of choices: the same bytes always give the same choices, and after the last byte every
/// choice is the first one.
struct ByteChoices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = Array(bytes)[...]
    }

    /// Whether all bytes are used up.
    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns a number in `0 ..< bound`, from one byte as long as one is enough, so that a fuzzer that changes a byte
    /// changes one choice.
    mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number lies below \(bound)")
        var number = Int(byte())
        var reach = 256
        while reach < bound {
            number = number << 8 | Int(byte())
            reach <<= 8
        }
        return number % bound
    }

    /// Returns true `share` times out of 256.
    mutating func chance(_ share: Int) -> Bool { 255 - Int(byte()) < share }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Returns the next bytes unchanged; a first byte gives their number.
    mutating func run() -> [UInt8] { run(count: Int(byte())) }

    /// Returns the next bytes unchanged; fewer when there are no more.
    mutating func run(count: Int) -> [UInt8] {
        let run = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return run
    }

    mutating func number() -> UInt64 { run(count: 8).reduce(0) { $0 << 8 | UInt64($1) } }
}
