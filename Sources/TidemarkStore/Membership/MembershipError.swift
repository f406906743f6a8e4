/// Why a membership rule cannot be used: what is wrong, at which place in the rule, and what to write instead.
package struct MembershipError: Error, Equatable {
    /// The JSON Pointer to the place inside the rule, such as `/where/all/0`; empty for the rule itself.
    package var place: String
    /// What is wrong and what to write instead: the rest of a sentence that begins with the place.
    package var what: String

    /// The error in one line, for someone who wrote a whole rule.
    package var message: String {
        place.isEmpty ? "the membership rule \(what)" : "\(place) of the membership rule \(what)"
    }

    /// The error in one line, for someone who wrote only a condition or an order as command-line options.
    package var optionMessage: String {
        for (member, option) in [("/where", "--where"), ("/order", "--order")] where place.hasPrefix(member) {
            let rest = place.dropFirst(member.count)
            return rest.isEmpty ? "\(option) \(what)" : "\(rest) of \(option) \(what)"
        }
        return message
    }
}
