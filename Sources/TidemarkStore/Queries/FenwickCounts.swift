/// Counts of the taken places in any prefix, while places are released one by one.
struct FenwickCounts {
    /// The sums, one-based: each is over the `index & -index` places that end at `index`.
    private var sums: [Int32]

    /// - Parameter taken: Whether each place is taken.
    /// - Complexity: O(taken.count).
    init(_ taken: [Bool]) {
        sums = [0] + taken.map { $0 ? 1 : 0 }
        for index in 1..<max(1, sums.count) {
            let parent = index + (index & -index)
            if parent < sums.count { sums[parent] += sums[index] }
        }
    }

    /// Returns the number of taken places before `place`.
    ///
    /// - Complexity: O(log n).
    func count(before place: Int) -> Int {
        var index = place
        var sum = 0
        while index > 0 {
            sum += Int(sums[index])
            index &= index - 1
        }
        return sum
    }

    /// Releases a taken place.
    ///
    /// - Complexity: O(log n).
    mutating func giveUp(_ place: Int) {
        var index = place + 1
        while index < sums.count {
            sums[index] -= 1
            index += index & -index
        }
    }
}
