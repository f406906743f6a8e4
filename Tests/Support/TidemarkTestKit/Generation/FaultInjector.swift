import TidemarkTesting

/// Adds the faults of transports to a clean stream: lines are lost, repeated, moved a little, cut off.
package struct FaultInjector: Sendable {
    private let weights: StreamWeights
    /// The maximum distance in lines by which a line is moved.
    private static let moveDistanceMax = 6

    /// Creates an injector with the rates of one stream.
    package init(weights: StreamWeights) { self.weights = weights }

    /// Returns the lines after faults, in their new order.
    package func spoil(_ lines: [[UInt8]], _ random: inout SeededGenerator) -> [[UInt8]] {
        var spoiled: [[UInt8]] = []
        for line in lines where !random.chance(weights.drop) {
            if random.chance(weights.cut), line.count > 2 {
                spoiled.append(Array(line.prefix(1 + random.below(line.count - 1))))
                // A daemon that was cut off usually sends the line again.
                if random.chance(500) { continue }
            }
            spoiled.append(line)
            if random.chance(weights.duplicate) { spoiled.append(line) }
            if random.chance(weights.duplicate / 2), let older = spoiled.dropLast(random.below(8)).last {
                spoiled.append(older)
            }
        }
        for index in spoiled.indices where random.chance(weights.move) {
            let other = index + random.below(Self.moveDistanceMax) + 1
            if other < spoiled.count { spoiled.swapAt(index, other) }
        }
        return spoiled
    }
}
