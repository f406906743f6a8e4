import Foundation

/// At which changes of a workload its process stops: every k-th, or all of them.
///
/// `TIDEMARK_CRASH_POINTS` is `all` or how many; `TIDEMARK_CRASH_POINT` is a single one, to try it again;
/// `TIDEMARK_CRASH_SEED` shifts the points and decides what a loss of power takes along.
public struct CrashPoints: Sendable {
    /// What everything random at a point is drawn from, together with the point's number.
    public let seed: UInt64
    private let countMax: Int?
    private let only: Int?

    /// - Parameter few: How many are tried when the environment says nothing.
    public init(few: Int) {
        let environment = ProcessInfo.processInfo.environment
        seed = environment["TIDEMARK_CRASH_SEED"].flatMap { UInt64($0) } ?? 0
        only = environment["TIDEMARK_CRASH_POINT"].flatMap { Int($0) }
        switch environment["TIDEMARK_CRASH_POINTS"] {
        case nil: countMax = few
        case "all": countMax = nil
        case let text?: countMax = Int(text) ?? few
        }
    }

    /// Whether every point is tried.
    public var isWhole: Bool { countMax == nil && only == nil }

    /// - Parameter count: Changes of the workload.
    /// - Returns: Numbers from 1 on, ascending.
    public func chosen(of count: Int) -> [Int] {
        if let only { return only <= count ? [only] : [] }
        guard count > 0 else { return [] }
        guard let countMax, countMax < count else { return Array(1...count) }
        // The first one is shifted, so that seeds try others.
        return (0..<countMax).map { place in
            1 + (place * count / countMax + Int(seed % UInt64(count))) % count
        }.sorted()
    }

    /// - Parameter salt: Tells draws at one point apart.
    public func seed(at point: Int, _ salt: UInt64 = 0) -> UInt64 {
        seed &* 1_000_003 &+ UInt64(point) &* 101 &+ salt
    }

    /// How a failure is tried again.
    public func description(of point: Int) -> String {
        "TIDEMARK_CRASH_POINT=\(point) TIDEMARK_CRASH_SEED=\(seed)"
    }
}
