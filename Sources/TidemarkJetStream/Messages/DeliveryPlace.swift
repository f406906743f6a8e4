/// The position of a delivered message, parsed from its reply subject:
/// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or with a domain
/// and an account before the stream.
package struct DeliveryPlace: Equatable {
    /// The sequence of the message in its stream.
    var sequence: Int64
    /// The message's number among the deliveries of its consumer, from 1; each delivery gets the next one.
    var consumerSequence: Int64
    /// How many messages the consumer has not delivered yet.
    var pendingCount: Int64

    /// Parses a reply subject; nil when it does not have this form.
    ///
    /// - Complexity: O(length of the subject). Nothing is allocated, since each message is parsed.
    init?(reply: UnsafeRawBufferPointer) {
        guard BodyScan.hasPrefix(reply, "$JS.ACK.") else { return nil }
        var dots: [11 of Int] = .init(repeating: 0)
        var dotCount = 0
        for offset in 0..<reply.count where reply[offset] == UInt8(ascii: ".") {
            if dotCount < 11 { dots[dotCount] = offset }
            dotCount += 1
        }
        guard dotCount == 8 || dotCount >= 10 else { return nil }
        // The index of the dot before the stream sequence.
        let first = dotCount == 8 ? 4 : 6
        func number(_ place: Int) -> Int64? {
            let end = place + 1 < min(dotCount, 11) ? dots[place + 1] : reply.count
            return DeliveryPlace.number(reply, dots[place] + 1..<end)
        }
        guard let sequence = number(first), let consumerSequence = number(first + 1),
            let pendingCount = number(first + 3), sequence > 0, consumerSequence > 0
        else { return nil }
        self.sequence = sequence
        self.consumerSequence = consumerSequence
        self.pendingCount = pendingCount
    }

    /// Parses decimal digits; nil when the range is empty, contains another byte, or overflows.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int64? {
        guard !range.isEmpty else { return nil }
        var number: Int64 = 0
        for offset in range {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, isOver) = number.multipliedReportingOverflow(by: 10)
            let (sum, isOverToo) = product.addingReportingOverflow(Int64(digit))
            guard !isOver, !isOverToo else { return nil }
            number = sum
        }
        return number
    }
}
