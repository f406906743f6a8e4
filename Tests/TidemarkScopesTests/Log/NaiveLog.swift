import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// A log that keeps everything: what the scope showed at every position.
struct NaiveLog {
    private struct Departure {
        let position: UInt32
        let second: Int64
    }

    let limits: ScopeLimits
    /// What was shown at each position, from the first one on.
    private(set) var versions: [UInt32: [ViewKey: String]]
    private(set) var head: UInt32 = 1
    /// The reasons of the last departures.
    private var reasons: [ViewKey: DepartureReason] = [:]
    private var departures: [Departure] = []
    private(set) var horizon: UInt32 = 1

    init(_ shown: [ViewKey: String], limits: ScopeLimits) {
        versions = [1: shown]
        self.limits = limits
    }

    var shown: [ViewKey: String] { versions[head] ?? [:] }

    mutating func append(_ shown: [ViewKey: String], deleted: Set<ViewKey>, now: Int64) {
        let former = self.shown
        head += 1
        versions[head] = shown
        for key in former.keys where shown[key] == nil {
            reasons[key] = deleted.contains(key) ? .deleted : .scope
            departures.append(Departure(position: head, second: now))
        }
        while let oldest = departures.first {
            let isOld = now - oldest.second > limits.historySecondCount
            let isMuch = departures.count > shown.count * limits.historyPercent / 100
            guard isOld && isMuch || departures.count > limits.departureCountMax else { break }
            departures.removeFirst()
            horizon = oldest.position
        }
    }

    /// What changed after a position: by comparing every version since.
    func changed(since position: UInt32) -> Set<ViewKey> {
        var changed: Set<ViewKey> = []
        for (key, text) in shown {
            for version in position..<head where versions[version]?[key] != text { changed.insert(key) }
        }
        return changed
    }

    /// What was shown at a position and is not any more.
    func left(since position: UInt32) -> [ViewKey: DepartureReason] {
        var left: [ViewKey: DepartureReason] = [:]
        for key in (versions[position] ?? [:]).keys where shown[key] == nil { left[key] = reasons[key] }
        return left
    }

    /// The positions that can be served.
    func canServe(_ position: UInt32) -> Bool { position >= horizon && position <= head }
}
