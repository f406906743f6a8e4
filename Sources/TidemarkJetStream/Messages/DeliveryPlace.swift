/// The place of a delivered message, from the subject for its acknowledgement:
/// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or with a domain
/// and an account before the stream.
package struct DeliveryPlace: Equatable {
    /// The number of the message in its stream.
    var sequence: Int64
    /// The number of the message among those of its consumer; each delivery has the next one.
    var consumerSequence: Int64
    /// The messages that the consumer has not delivered yet.
    var pendingCount: Int64

    /// - Returns: nil when the subject is not of this form.
    /// - Complexity: O(reply), nothing is copied: it is parsed for each message.
    init?(reply: UnsafeRawBufferPointer) {
        let head = "$JS.ACK."
        guard reply.count > head.utf8.count, reply.prefix(head.utf8.count).elementsEqual(head.utf8) else { return nil }
        let dotCount = reply.count { $0 == UInt8(ascii: ".") }
        guard dotCount == 8 || dotCount >= 10 else { return nil }
        let offset = dotCount == 8 ? 0 : 2
        var token = 0
        var numbers: [4 of Int64] = .init(repeating: -1)
        for byte in reply {
            if byte == UInt8(ascii: ".") {
                token += 1
                continue
            }
            let place = token - 5 - offset
            guard place >= 0, place < 4 else { continue }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (product, isOver) = max(0, numbers[place]).multipliedReportingOverflow(by: 10)
            let (sum, isOverToo) = product.addingReportingOverflow(digit)
            guard !isOver, !isOverToo else { return nil }
            numbers[place] = sum
        }
        guard numbers[0] > 0, numbers[1] > 0, numbers[3] >= 0 else { return nil }
        sequence = numbers[0]
        consumerSequence = numbers[1]
        pendingCount = numbers[3]
    }
}
