/// Chooses the changes of a workload at which a test stops its process: all of them, or a number spread evenly.
///
/// ```swift
/// let points = CrashPoints(count: 10, seed: 1)
/// for point in points.chosen(of: 500) {
///     print(point, points.seed(at: point), points.description(of: point))
/// }
/// ```
public struct CrashPoints: Sendable {
    /// The seed of the test run. With a point's number it decides everything random at that point.
    public let seed: UInt64
    private let countMax: Int?
    private let only: Int?

    /// Creates a choice of crash points.
    ///
    /// - Parameters:
    ///   - count: The most points to test; nil for all of them.
    ///   - only: A single point, to repeat a failure; nil for no such restriction.
    ///   - seed: Shifts the points, and decides which data a power loss destroys.
    public init(count: Int?, only: Int? = nil, seed: UInt64 = 0) {
        countMax = count
        self.only = only
        self.seed = seed
    }

    /// True if every change of the workload is a point.
    public var isWhole: Bool { countMax == nil && only == nil }

    /// Returns the points to test.
    ///
    /// - Parameter count: The number of changes in the workload.
    /// - Returns: The numbers of changes, from 1, ascending. Empty when the single point is past the last change.
    public func chosen(of count: Int) -> [Int] {
        if let only { return only <= count ? [only] : [] }
        guard count > 0 else { return [] }
        guard let countMax, countMax < count else { return Array(1...count) }
        // The first point is shifted, so that other seeds test other points.
        return (0..<countMax).map { place in
            1 + (place * count / countMax + Int(seed % UInt64(count))) % count
        }.sorted()
    }

    /// Returns the seed for a point.
    ///
    /// - Parameters:
    ///   - point: The number of a change, from 1.
    ///   - salt: Gives another random value at the same point.
    public func seed(at point: Int, _ salt: UInt64 = 0) -> UInt64 {
        seed &* 1_000_003 &+ UInt64(point) &* 101 &+ salt
    }

    /// Returns the environment variable, with its value, that repeats a failure at a point.
    public func description(of point: Int) -> String { "TIDEMARK_SCALE=point=\(point),seed=\(seed)" }
}
