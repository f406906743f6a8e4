import TidemarkModel

/// Assembles a dictionary from samples: the segments with the most bytes that other samples have too.
///
/// The samples are divided into as many parts as the dictionary has segments, and each part gives its best segment.
/// What a segment covers counts no more for later ones. Such a dictionary is plain text; zstd reads it, too.
///
/// - Source: Liao, Petri, Moffat, Wirth, "Effective Construction of Relative Lempel-Ziv Dictionaries", 2016.
struct SegmentTrainer {
    /// The size of a segment. Measured on payloads of 430 bytes with a dictionary of 16 KiB: shorter ones give larger
    /// rows (0.285 of the payloads with 48 bytes, 0.263 with 256), longer ones give no smaller ones.
    static let segmentByteCount = 256
    /// The size of the strings that are counted, and the number of counters, as a power of two: 4 MiB of them.
    private static let stringByteCount = 8
    private static let counterBits: UInt64 = 20

    /// The samples, one after another.
    private let samples: [UInt8]
    /// In how many samples the strings of a counter are, less one.
    private var repeats = [UInt32](repeating: 0, count: 1 << Int(counterBits))

    private init(_ samples: [UInt8], sizes: [Int]) {
        self.samples = samples
        var lastSample = [Int32](repeating: -1, count: repeats.count)
        var start = 0
        for (sample, size) in sizes.enumerated() {
            for place in start..<max(start, start + size - SegmentTrainer.stringByteCount + 1) {
                let counter = counter(at: place)
                if lastSample[counter] >= 0, lastSample[counter] != Int32(sample) { repeats[counter] += 1 }
                lastSample[counter] = Int32(sample)
            }
            start += size
        }
    }

    private func counter(at place: Int) -> Int {
        let string = samples.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        return Int((UInt64(littleEndian: string) &* 0x9E37_79B9_7F4A_7C15) >> (64 - SegmentTrainer.counterBits))
    }

    /// Assembles a dictionary.
    ///
    /// - Parameters:
    ///   - samples: The samples, one after another.
    ///   - sizes: The size of each.
    ///   - byteCount: The size of the dictionary, at most.
    /// - Returns: nil when nothing repeats.
    /// - Complexity: O(samples.count).
    static func train(_ samples: [UInt8], sizes: [Int], byteCount: Int) -> [UInt8]? {
        var trainer = SegmentTrainer(samples, sizes: sizes)
        let segmentCount = max(1, byteCount / segmentByteCount)
        let partByteCount = max(segmentByteCount, samples.count / segmentCount)
        var segments: [(score: UInt64, place: Int)] = []
        for start in stride(from: 0, to: samples.count, by: partByteCount) where segments.count < segmentCount {
            let end = min(start + partByteCount, samples.count)
            if let segment = trainer.takeBest(start..<end) { segments.append(segment) }
        }
        guard !segments.isEmpty else { return nil }
        // Near bytes are named with fewer bits, so the best ones come last.
        segments.sort { ($0.score, $0.place) < ($1.score, $1.place) }
        return segments.flatMap { samples[$0.place..<$0.place + segmentByteCount] }
    }

    /// Finds the best segment of a part, and takes what it covers out of the counts; nil when less than one other
    /// sample has each of its strings, on average.
    private mutating func takeBest(_ part: Range<Int>) -> (score: UInt64, place: Int)? {
        let stringCount = SegmentTrainer.segmentByteCount - SegmentTrainer.stringByteCount + 1
        guard part.count >= SegmentTrainer.segmentByteCount else { return nil }
        var score: UInt64 = 0
        var best: (score: UInt64, place: Int) = (0, part.lowerBound)
        for place in part.lowerBound..<part.upperBound - SegmentTrainer.stringByteCount + 1 {
            score += UInt64(repeats[counter(at: place)])
            let first = place - stringCount + 1
            guard first >= part.lowerBound else { continue }
            if score > best.score { best = (score, first) }
            score -= UInt64(repeats[counter(at: first)])
        }
        guard best.score >= UInt64(stringCount) else { return nil }
        for place in best.place..<best.place + stringCount { repeats[counter(at: place)] = 0 }
        return best
    }
}
