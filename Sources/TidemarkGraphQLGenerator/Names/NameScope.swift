/// The names that are taken in one scope. Another use of a name gets a different one, which is always the same for the
/// same input.
package struct NameScope: Hashable, Sendable {
    private var taken: Set<String>

    /// Creates a scope in which some names are taken.
    package init(_ taken: Set<String> = []) {
        self.taken = taken
    }

    /// Reserves a name: itself if it is free, else with the suffix, else with a number.
    package mutating func reserve(_ name: String, suffix: String) -> String {
        if taken.insert(name).inserted { return name }
        var candidate = name + suffix
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = "\(name)\(number)"
            number += 1
        }
        return candidate
    }

    /// True if a name is taken.
    package func contains(_ name: String) -> Bool { taken.contains(name) }
}
