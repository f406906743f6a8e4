/// How many of the first places are taken, for any prefix, while places are given up one by one.
struct FenwickCounts {
    /// One-based: the sum of the `index & -index` places that end at `index`.
    private var sums: [Int32]

    /// - Complexity: O(taken.count).
    init(_ taken: [Bool]) {
        sums = [0] + taken.map { $0 ? 1 : 0 }
        for index in 1..<max(1, sums.count) {
            let parent = index + (index & -index)
            if parent < sums.count { sums[parent] += sums[index] }
        }
    }

    /// Taken places before `place`.
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

    /// Gives up a place that is taken.
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
