/// The reason why a membership rule cannot be used: what is wrong, at which JSON Pointer inside the rule, what to write
/// instead.
package struct MembershipError: Error, Equatable {
    /// The JSON Pointer inside the rule, such as `/where/all/0`; empty for the rule itself.
    package var place: String
    /// The rest of the sentence whose subject is the place.
    package var what: String

    /// The error as one line for a person who wrote a rule.
    package var message: String {
        place.isEmpty ? "the membership rule \(what)" : "\(place) of the membership rule \(what)"
    }

    /// The error as one line for a person who wrote only a condition and an order.
    package var optionMessage: String {
        for (member, option) in [("/where", "--where"), ("/order", "--order")] where place.hasPrefix(member) {
            let rest = place.dropFirst(member.count)
            return rest.isEmpty ? "\(option) \(what)" : "\(rest) of \(option) \(what)"
        }
        return message
    }
}
