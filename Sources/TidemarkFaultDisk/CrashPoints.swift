/// The changes of a workload at which its process stops: every k-th, or all of them.
///
public struct CrashPoints: Sendable {
    /// The seed of everything random at a point, together with the point's number.
    public let seed: UInt64
    private let countMax: Int?
    private let only: Int?

    /// - Parameters:
    ///   - count: The number of points; nil for all of them.
    ///   - only: A single point, to repeat a failure.
    ///   - seed: Shifts the points, and decides which data a loss of power destroys.
    public init(count: Int?, only: Int? = nil, seed: UInt64 = 0) {
        countMax = count
        self.only = only
        self.seed = seed
    }

    /// Whether every point is tested.
    public var isWhole: Bool { countMax == nil && only == nil }

    /// Returns the points to test.
    ///
    /// - Parameter count: The number of changes in the workload.
    /// - Returns: The numbers of changes, from 1 on, ascending.
    public func chosen(of count: Int) -> [Int] {
        if let only { return only <= count ? [only] : [] }
        guard count > 0 else { return [] }
        guard let countMax, countMax < count else { return Array(1...count) }
        // The first point is shifted, so that other seeds test other points.
        return (0..<countMax).map { place in
            1 + (place * count / countMax + Int(seed % UInt64(count))) % count
        }.sorted()
    }

    /// Returns the seed of a point.
    ///
    /// - Parameter salt: Distinguishes random values at one point.
    public func seed(at point: Int, _ salt: UInt64 = 0) -> UInt64 {
        seed &* 1_000_003 &+ UInt64(point) &* 101 &+ salt
    }

    /// Returns the environment variable that repeats a failure at a point.
    public func description(of point: Int) -> String { "TIDEMARK_SCALE=point=\(point),seed=\(seed)" }
}
