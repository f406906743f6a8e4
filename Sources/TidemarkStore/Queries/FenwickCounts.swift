/// Counts the taken places before any place, while places are released one by one.
struct FenwickCounts {
    /// One-based partial sums: element `index` is the sum of the `index & -index` places that end at `index`.
    private var sums: [Int32]

    /// Creates the counts.
    ///
    /// - Parameter taken: For each place, whether it is taken.
    /// - Complexity: O(taken.count).
    init(_ taken: [Bool]) {
        sums = [0] + taken.map { $0 ? 1 : 0 }
        for index in 1..<max(1, sums.count) {
            let parent = index + (index & -index)
            if parent < sums.count { sums[parent] += sums[index] }
        }
    }

    /// Returns how many places before `place` are taken.
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
