/// Why a membership rule cannot be used: what is wrong, at which JSON Pointer inside the rule, what to write instead.
package struct MembershipError: Error, Equatable {
    /// One line for a person.
    package var message: String
}
